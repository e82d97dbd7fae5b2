import type { RunsClient } from 'runs-client';
import { isTerminalState } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { type Masked, maskSecrets } from '../../lib/mask-secrets.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { ReadNames } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import { messageText } from '../text/message-text.ts';
import { unnamedPeople } from '../text/typed-text.ts';
import {
  askAboutThread,
  closedThread,
  fileAlone,
  howToMention,
  type MentionAnswer,
  notPassedOn,
  offerAgain,
  passedOn,
} from './mention-answers.ts';
import { type Mention, withoutMention } from './read-mention.ts';
import { placeOf, type StartFromMentionParts, startFromMention } from './start-from-mention.ts';

export type HandleMentionParts = StartFromMentionParts & {
  requests: Pick<Requests, 'findLiveInThread' | 'findByMessage'>;
  runs: Pick<RunsClient['runs'], 'followUp'>;
  readNames: ReadNames;
  rights: Pick<Rights, 'refuseStart' | 'refuseFollowUp'>;
  /** What `/agent help` says. */
  help: string;
};

/** Undefined when the run message says enough. */
type Answer = Promise<MentionAnswer | undefined>;

/** Starts a run, messages the run of this thread, or asks back. Safe to repeat. */
export async function handleMention(
  parts: HandleMentionParts,
  mention: Mention,
  botUserId: string,
): Answer {
  const { message, teamId, channelId, threadTs } = mention;
  const live = threadTs && (await parts.requests.findLiveInThread(teamId, { channelId, threadTs }));
  const { refuseStart, refuseFollowUp } = parts.rights;
  const refusal = await (live ? refuseFollowUp : refuseStart)(mention);
  if (refusal) return { text: `⚠️ ${refusal}` };
  const names = await parts.readNames(unnamedPeople(message.text ?? ''));
  const said = { ...message, text: withoutMention(message.text ?? '', botUserId), blocks: null };
  const masked = maskSecrets(messageText(said, names));
  if (!masked.text) return threadTs ? proposeThread(parts, mention, threadTs) : howToMention;
  if (!threadTs && asksForHelp.test(masked.text)) return { text: parts.help };
  if (live) return followUp(parts, live, masked, mention);
  const ended =
    threadTs && (await parts.requests.findByMessage(teamId, { channelId, ts: threadTs }));
  if (ended) return offer(ended, mention);
  const saysWhat = messageText({ ...said, files: null }, names) !== '';
  return saysWhat ? startFromMention(parts, mention, masked) : fileAlone;
}

const asksForHelp = /^\/?(?:agent )?help[\s.!?]*$/i;

async function proposeThread(
  { readThread }: HandleMentionParts,
  { channelId, message }: Mention,
  threadTs: string,
): Answer {
  const { ts } = message;
  const thread = await readThread({ channelId, threadTs, except: ts });
  if ('closed' in thread) return closedThread(thread.closed);
  if (thread.messages === 0) return howToMention;
  return askAboutThread({ channelId, threadTs, ts }, thread);
}

/** What a service answers for runs that take no messages. */
const noFollowUps = new Set<string>([
  'not_found',
  'bad_request',
  'conflict',
  'unprocessable',
  'client_error',
  'forbidden',
]);

async function followUp(
  { runs, markSource }: HandleMentionParts,
  request: RunRequest,
  { text, masked }: Masked,
  mention: Mention,
): Answer {
  const { runId, run, title } = request;
  if (!runId || (run && isTerminalState(run.state))) return offer(request, mention);
  try {
    // After a crash it's sent again; the service drops the second one by its key.
    const idempotencyKey = `${mention.teamId}-${mention.eventId}`;
    await runs.followUp(runId, text, { timeoutMs: 5_000, maxRetries: 0, idempotencyKey });
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    // Not retried: the agent may have received it.
    return noFollowUps.has(error.code) ? offer(request, mention) : notPassedOn(title, error.code);
  }
  await markSource({ kind: 'mention', source: placeOf(mention) });
  return passedOn(title, masked);
}

function offer({ id, title, run, step }: RunRequest, mention: Mention): MentionAnswer {
  const isLive = step !== 'ended' && step !== 'not_started' && !(run && isTerminalState(run.state));
  const threadTs = mention.threadTs ?? mention.message.ts;
  return offerAgain(title, { requestId: id, threadTs, ...placeOf(mention) }, isLive);
}
