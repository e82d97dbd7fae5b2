import type { Run } from 'runs-client/contract';
import type { LocalWorkspace, Message } from 'slack-stand-in';
import type { Db } from '../src/store/schema.ts';
import { markedMessages, markOf } from './marked.ts';
import type { Asked } from './people.ts';

/** IDs of the requests that broke each promise. All lists must be empty. */
export type Findings = Record<
  | 'lost'
  | 'duplicateRuns'
  | 'duplicateMessages'
  | 'duplicateReplies'
  | 'noReply'
  | 'wrong'
  | 'stuck',
  string[]
>;

/** Final state that a message shows, by the state of its run. */
const words: Record<string, string> = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  ERROR: 'Failed',
  CANCELLED: 'Canceled',
};
const terminalWords = new Set([...Object.values(words), 'Not started', 'Unknown']);

/** Compares the messages with the runs of the runs service. */
export function compare(
  workspace: LocalWorkspace,
  runs: readonly Run[],
  asked: Asked,
  canceled: readonly string[],
): Findings {
  const shown = byRequest(workspace, 'slash_agent_run');
  const replies = byRequest(workspace, 'slash_agent_run_end');
  const started = groupBy(runs, (run) => run.metadata?.['request_id'] ?? run.run_id);
  const findings: Findings = {
    lost: [],
    duplicateRuns: [],
    duplicateMessages: [],
    duplicateReplies: [],
    noReply: [],
    wrong: [],
    stuck: [],
  };
  // Expect this state without a run, because a request that is canceled early never has one.
  const withoutRun = (id: string) => (canceled.includes(id) ? 'Canceled' : 'Not started');
  for (const id of new Set([...asked.keys(), ...shown.keys(), ...started.keys()])) {
    const [messages = [], ofRequest = []] = [shown.get(id), started.get(id)];
    const ends = replies.get(id) ?? [];
    const mightBeNothing = asked.get(id) === 'perhaps' && ofRequest.length === 0;
    if (messages.length === 0 && !mightBeNothing) findings.lost.push(id);
    if (messages.length > 1) findings.duplicateMessages.push(id);
    if (ofRequest.length > 1) findings.duplicateRuns.push(id);
    if (ends.length > 1) findings.duplicateReplies.push(id);
    if (ends.length === 0 && ofRequest.length > 0) findings.noReply.push(id);
    const [message, run] = [messages[0], ofRequest[0]];
    if (!message) continue;
    const word = wordOf(message);
    if (!terminalWords.has(word)) findings.stuck.push(id);
    else if (word !== (run ? words[run.state] : withoutRun(id))) findings.wrong.push(id);
  }
  return findings;
}

/** Counts the messages that show Not started. */
export const countNotStarted = (workspace: LocalWorkspace): number =>
  [...byRequest(workspace, 'slash_agent_run').values()]
    .flat()
    .filter((message) => wordOf(message) === 'Not started').length;

/** Groups the messages of all channels and direct messages by request. */
function byRequest(workspace: LocalWorkspace, eventType: string): Map<string, Message[]> {
  const marked = markedMessages(workspace, eventType);
  return groupBy(marked, (message) => markOf(message, 'request_id'));
}

/** Returns the shown state, which is the first bold text of the first section. */
function wordOf({ blocks = [] }: Message): string {
  const section = blocks.find(({ type }) => type === 'section');
  return /\*([^*]+)\*/.exec(JSON.stringify(section))?.[1] ?? '';
}

function groupBy<T>(list: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of list) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}

export type Evidence = {
  id: string;
  row: unknown;
  posts: unknown;
  answers: unknown;
  messages: object[];
  tried: unknown;
};

/** Gathers the rows and messages of each request that broke a promise, to help find the cause. */
export async function gatherEvidence(
  workspace: LocalWorkspace,
  db: Db,
  findings: Partial<Record<string, string[]>>,
  known: { triedWith(requestId: string): unknown; updatesOf(ts: string): unknown },
): Promise<Evidence[]> {
  const ids = new Set(Object.values(findings).flatMap((each = []) => each));
  const shown = byRequest(workspace, 'slash_agent_run');
  const replies = byRequest(workspace, 'slash_agent_run_end');
  return Promise.all(
    [...ids].map(async (id) => ({
      id,
      row: await db.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirst(),
      posts: await db.selectFrom('outbox').selectAll().where('request_id', '=', id).execute(),
      answers: await db.selectFrom('answers').selectAll().where('request_id', '=', id).execute(),
      tried: known.triedWith(id),
      messages: [...(shown.get(id) ?? []), ...(replies.get(id) ?? [])].map((message) => ({
        channel: message.channelId,
        ts: message.ts,
        threadTs: message.threadTs,
        word: wordOf(message),
        text: message.text.slice(0, 60),
        updates: known.updatesOf(message.ts),
      })),
    })),
  );
}
