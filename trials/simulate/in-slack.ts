/** Finds things that people see in Slack: run messages, their buttons, and forms. */
import type { SlackModel } from './slack-model.ts';
import type { Json, SlackMessage, SlackView } from './slack-world.ts';

export const promptOf = (run: number) => `fix case ${run} of the secret plan`;

export const runOf = (prompt: string): number => Number(/fix case (\d+)/.exec(prompt)?.[1] ?? -1);

export const requestOf = ({ metadata }: SlackMessage): string =>
  String(metadata?.event_payload['request_id'] ?? '');

/** Returns the newest visible run message of a run. */
export const runMessageOf = (slack: SlackModel, run: number) =>
  slack.messages.findLast(
    (each) =>
      each.metadata?.event_type === 'slash_agent_run' &&
      !each.isDeleted &&
      JSON.stringify(each.blocks).includes(promptOf(run)),
  );

/** Returns the newest button with this ID, on the run's message or in its thread. */
export function buttonOf(slack: SlackModel, run: number, actionId: string) {
  const runMessage = runMessageOf(slack, run);
  const inThread = ({ channel, threadTs, ts, isDeleted }: SlackMessage) =>
    !isDeleted &&
    channel === runMessage?.channel &&
    (ts === runMessage.ts || threadTs === runMessage.ts);
  for (const message of slack.messages.filter(inThread).toReversed())
    for (const found of buttonsIn(message.blocks))
      if (found.button['action_id'] === actionId) return { message, ...found };
  return undefined;
}

const buttonsIn = (blocks: readonly Json[]) =>
  blocks.flatMap((block) =>
    ((block['elements'] ?? []) as Json[]).map((button) => ({ button, blockId: block['block_id'] })),
  );

/** Returns the first button whose ID has this prefix. */
export const buttonInView = ({ view }: SlackView, prefix: string) =>
  buttonsIn((view['blocks'] ?? []) as Json[]).find(({ button }) =>
    String(button['action_id']).startsWith(prefix),
  );

/** Returns the values that a form is submitted with if nobody changes it. */
export function stateOf({ view }: SlackView): Json {
  const inputs = ((view['blocks'] ?? []) as Json[]).filter(({ type }) => type === 'input');
  const values = inputs.map((block) => {
    const element = block['element'] as Json;
    return [block['block_id'], { [String(element['action_id'])]: initialOf(element) }];
  });
  return { values: Object.fromEntries(values) };
}

function initialOf({ type, ...element }: Json): Json {
  switch (type) {
    case 'plain_text_input':
      return { type, value: element['initial_value'] ?? null };
    case 'conversations_select':
      return { type, selected_conversation: element['initial_conversation'] ?? null };
    case 'checkboxes':
      return { type, selected_options: element['initial_options'] ?? [] };
    default:
      return { type, selected_option: element['initial_option'] ?? null };
  }
}
