import { newMessage } from 'runs-client/prompt-marks';
import type { Followups } from '../../store/followups.ts';
import type { ExecutedRun, Runs, StoredRun } from '../../store/runs.ts';

const maxCharacters = 30_000;
const maxCharactersPerText = 6_000;

export type EarlierRun = Pick<StoredRun, 'prompt' | 'state' | 'status_json'> & {
  followups: readonly string[];
};

const cut = (text: string) =>
  text.length > maxCharactersPerText ? `${text.slice(0, maxCharactersPerText)} […]` : text;

/**
 * Writes the runs of a conversation as text, oldest first, for an agent that doesn't remember them. If they're too
 * long, the oldest are left out.
 */
export function conversationText(runs: readonly EarlierRun[]): string {
  const texts: string[] = [];
  let room = maxCharacters;
  for (const run of runs.toReversed()) {
    const text = textOf(run);
    room -= text.length;
    if (room < 0 && texts.length > 0) break;
    texts.unshift(text);
  }
  return [
    "This continues an earlier conversation that you don't remember. It was:",
    ...texts,
    newMessage,
  ].join('\n\n');
}

function textOf({ prompt, followups, state, status_json: status }: EarlierRun): string {
  const { message } = JSON.parse(status ?? '{}') as { message?: string };
  const messages = [prompt, ...followups].map((text) => `<user>\n${cut(text)}\n</user>`);
  const answer = message === undefined ? `(${state})` : cut(message);
  return [...messages, `<you>\n${answer}\n</you>`].join('\n');
}

type Stores = {
  runs: Pick<Runs, 'earlierOfConversation'>;
  followups: Pick<Followups, 'listOf'>;
};

/** Reads the earlier runs of the run's conversation, oldest first, with everything that people wrote. */
export async function readEarlierRuns({ runs, followups }: Stores, run: ExecutedRun) {
  const earlier = await runs.earlierOfConversation(run);
  const all = earlier.map(async ({ id, prompt, state, status_json }) => ({
    id,
    prompt,
    state,
    status_json,
    followups: await followups.listOf(id),
  }));
  return Promise.all(all);
}
