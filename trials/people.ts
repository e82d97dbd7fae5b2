import type { LocalWorkspace, View } from 'slack-stand-in';
import type { Random } from './random.ts';

/** Requests by ID, each accepted or possibly accepted. */
export type Asked = Map<string, 'accepted' | 'perhaps'>;

export type CrowdOptions = {
  workspace: LocalWorkspace;
  random: Random;
  people: number;
  /** Number of accepted requests after which people stop. */
  requests: number;
  channels: readonly [string, ...string[]];
  prompts: readonly [string, ...string[]];
  /** Called when a request is sent, also if Slack shows an error, because it can still be accepted. */
  sent: (request: { id: string; personId: string; prompt: string }) => void;
  /** Called for each accepted request. */
  another: () => void;
};

/** Lets many people start runs with the form, each one run at a time. They submit again if nothing seems to happen. */
export async function letPeopleAsk(options: CrowdOptions): Promise<Asked> {
  const { workspace, random, people, requests, channels, prompts } = options;
  const asked: Asked = new Map();
  let left = requests;
  await Promise.all(
    Array.from({ length: people }, async (_, index) => {
      const person = addPerson(workspace, index, channels);
      while (left > 0) {
        left -= 1;
        const text = `/agent ${random.pick(prompts)} ${left}`;
        const channel = random.pick(channels);
        const isAccepted = await ask(options, asked, person, { channel, text });
        if (isAccepted) options.another();
        else left += 1;
      }
    }),
  );
  return asked;
}

/**
 * Adds a person to these channels.
 * @returns the person's ID
 */
export function addPerson(
  workspace: LocalWorkspace,
  index: number,
  channels: readonly string[],
): string {
  const [model] = workspace.people;
  if (!model) throw new Error('the workspace has no people');
  const id = `U04CROWD${String(index).padStart(3, '0')}`;
  workspace.people.push({ ...model, id, name: `crowd${index}`, realName: `Crowd ${index}` });
  for (const channel of workspace.channels)
    if (channels.includes(channel.id)) channel.memberIds.push(id);
  return id;
}

async function ask(
  { workspace, random, sent }: CrowdOptions,
  asked: Asked,
  personId: string,
  { channel, text }: { channel: string; text: string },
): Promise<boolean> {
  const actor = workspace.as(personId);
  for (;;) {
    await actor.types(channel, text);
    const view = await workspace
      .until(() => actor.modal(), { timeoutMs: 3_000 })
      .catch(() => undefined);
    if (!view) continue;
    const id = `${workspace.team.id}-${view.id}`;
    // Report it now, because the form of an earlier command can open this late.
    sent({ id, personId, prompt: promptIn(view) });
    for (let tries = random.between(1, 3); tries > 0 && actor.modal()?.id === view.id; tries -= 1) {
      const { errors, error } = await actor.submits();
      if (!errors && !error) {
        asked.set(id, 'accepted');
        return true;
      }
      asked.set(id, 'perhaps');
    }
    if (actor.modal()) await actor.closesModal({ all: true });
    return false;
  }
}

const promptIn = ({ values }: View): string =>
  String(Object.values(values['prompt'] ?? {})[0]?.['value'] ?? '');
