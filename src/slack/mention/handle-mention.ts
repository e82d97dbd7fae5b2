import { type Masked, maskSecrets } from 'base/secrets/mask-secrets';
import { isTerminalState } from 'runs-client/contract';
import type { InboxOutcome } from '../../inbox/inbox.ts';
import { liveSteps } from '../../requests/steps.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { ReadNames } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import type { MarkSource, ReadPermalink } from '../posting/source-message.ts';
import { renderDenial } from '../runs/acting/ask-owner.ts';
import { isCancelMessage } from '../runs/acting/cancel-run.ts';
import type { MessageActs } from '../runs/acting/message-acts.ts';
import type { ThreadReader } from '../runs/reading/read-thread.ts';
import { asksForHelp, readWords } from '../runs/reading/read-words.ts';
import type { ReadRunOfMessage } from '../runs/reading/run-of-message.ts';
import { requestIdOf } from '../runs/run-ref.ts';
import { offerAgain } from '../runs/showing/buttons/offer-again.ts';
import {
  askAboutThread,
  closedThread,
  fileAlone,
  howToMention,
  type MentionAnswer,
  nothingToCancel,
  notPassedOn,
  passedOn,
} from './mention-answers.ts';
import type { Mention } from './read-mention.ts';
import { placeOf, type StartFromMention } from './start-from-mention.ts';

type MentionHandlerDeps = {
  requests: Pick<Requests, 'find' | 'liveInThread' | 'findOfThread'>;
  rights: Pick<Rights, 'denyStart' | 'denyFollowUp' | 'authorizeMessage'>;
  acts: MessageActs;
  startFromMention: StartFromMention;
  readRunOfMessage: ReadRunOfMessage;
  readThread: ThreadReader;
  readPermalink: ReadPermalink;
  readNames: ReadNames;
  markSource: MarkSource;
  /** Answer to "help", the same as to `/agent help`. */
  help: MentionAnswer;
  botUserId(): string;
  botId(): string;
};

/** Functions for the mentions that wait in the inbox. */
export type StoredMentions = {
  /** Returns false if the mention was edited since it was read. */
  isCurrent(mention: Mention): Promise<boolean>;
  /**
   * Records which run gets the message, before it's sent. Returns false if the mention was edited since it was read.
   */
  noteSent(mention: Mention, requestId: string | undefined): Promise<boolean>;
  /** Returns true if an earlier mention in the thread isn't handled yet. */
  isEarlierLeft(mention: Mention): Promise<boolean>;
};

export type HandleMention = (mention: Mention, stored: StoredMentions) => Answer;

/**
 * Creates the handler of mentions. It starts a run, messages or continues the thread's run, or asks what to do.
 * Handling a mention twice is safe.
 */
export const createMentionHandler =
  (deps: MentionHandlerDeps): HandleMention =>
  (mention, stored) =>
    handleMention(deps, mention, stored);

/**
 * Answer to a mention. Undefined if the run message is answer enough. With `edited`, `later` and `waitsFor`, nothing
 * was done yet.
 */
type Answer = Promise<
  MentionAnswer | 'edited' | 'later' | Extract<InboxOutcome, { waitsFor: object }> | undefined
>;

async function handleMention(
  deps: MentionHandlerDeps,
  mention: Mention,
  stored: StoredMentions,
): Answer {
  const { message, threadTs } = mention;
  const botUserId = deps.botUserId();
  const app = { botUserId, botId: deps.botId() };
  const found = await requestOf(deps, mention, botUserId);
  const { rights } = deps;
  const denial = await (found?.isLive ? rights.denyFollowUp(mention) : rights.denyStart(mention));
  if (denial) return { text: `⚠️ ${denial}` };
  const masked = maskSecrets(await readWords(deps.readNames, message, app));
  if (!masked.text) return threadTs ? proposeThread(deps, mention, threadTs) : howToMention;
  if (!found?.isLive && asksForHelp(masked.text)) return deps.help;
  if (!found?.isLive && isCancelMessage(masked.text))
    return nothingToCancel(mention, found?.request);
  if (found?.isLive) return followUp(deps, stored, found.request, masked, mention);
  if (found) return continueConversation(deps, stored, found.request, mention, masked);
  const alone = await readWords(deps.readNames, { ...message, files: null }, app);
  return alone ? deps.startFromMention(mention, masked, stored.isCurrent) : fileAlone;
}

/**
 * Finds the request that a mention is about. After a crash, returns the same request as before. That holds even if the
 * mention has started a run or the thread's run has ended.
 */
async function requestOf(deps: MentionHandlerDeps, mention: Mention, botUserId: string) {
  const { requests } = deps;
  if (await requests.find(requestIdOf(mention))) return undefined;
  const request = mention.sentTo === undefined ? undefined : await requests.find(mention.sentTo);
  return request ? { request, isLive: true } : requestOfThread(deps, mention, botUserId);
}

async function proposeThread(
  { readThread }: MentionHandlerDeps,
  { channelId, userId, message }: Mention,
  threadTs: string,
): Answer {
  const { ts } = message;
  const thread = await readThread({ channelId, userId, threadTs, except: ts });
  if ('closed' in thread) return closedThread(thread.closed);
  if (thread.messages === 0) return howToMention;
  return askAboutThread({ channelId, threadTs, ts }, thread);
}

/**
 * Cancels an active run, answers its question, or sends it a message. An answer needs the right to answer, not the
 * right to message.
 */
async function followUp(
  deps: MentionHandlerDeps,
  stored: StoredMentions,
  request: RunRequest,
  { text, masked }: Masked,
  mention: Mention,
): Answer {
  const { markSource } = deps;
  const { teamId, userId, channelId: conversationId } = mention;
  if (isCancelMessage(text)) {
    const viewer = { teamId, userId, conversationId };
    const denial = await deps.acts.cancel(viewer, request.id);
    return denial ? { text: `⚠️ ${denial}` } : undefined;
  }
  const { runId, run, title } = request;
  if (!runId) return { waitsFor: { requestId: request.id, until: 'run' } };
  const isOver = run !== null && isTerminalState(run.state) && mention.sentTo === undefined;
  if (isOver) return waitForEnd(request, mention);
  const answered = await deps.acts.answer({ request, userId }, { text, ts: mention.message.ts });
  if (answered === 'answered') {
    await markSource({ kind: 'mention', source: placeOf(mention) });
    return undefined;
  }
  if (answered !== 'none') return { text: `⚠️ ${answered.sentence}` };
  const authorized = await deps.rights.authorizeMessage(mention, request);
  if ('denial' in authorized)
    return renderDenial(deps.readNames, authorized, {
      ...placeOf(mention),
      requestId: request.id,
    });
  const { authority } = authorized;
  if (await stored.isEarlierLeft(mention)) return 'later';
  const message = { text, idempotencyKey: requestIdOf(mention), channelId: mention.channelId };
  if (!(await stored.noteSent(mention, request.id))) return 'edited';
  const sent = await deps.acts.send(request, runId, message, authority);
  if (sent.outcome === 'not taken') {
    await stored.noteSent(mention, undefined);
    await markSource({ kind: 'mention', source: placeOf(mention) });
    return waitForEnd(request, mention);
  }
  // Don't send the message again if the agent may have received it.
  if (sent.outcome !== 'sent') return notPassedOn(request, sent.error.code);
  await markSource({ kind: 'mention', source: placeOf(mention) });
  return passedOn(title, masked);
}

/**
 * Lets the mention wait until the run ends, and then continues the conversation. Offers a new run if the run isn't
 * followed anymore, because its end stays unknown.
 */
const waitForEnd = (request: RunRequest, mention: Mention): Awaited<Answer> =>
  request.unfollowedAt === null
    ? { waitsFor: { requestId: request.id, until: 'end' } }
    : offer(request, mention);

/** Starts the conversation's next run in the same thread. */
async function continueConversation(
  deps: MentionHandlerDeps,
  stored: StoredMentions,
  request: RunRequest,
  mention: Mention,
  words: Masked,
): Answer {
  if (await stored.isEarlierLeft(mention)) return 'later';
  const { threadTs = mention.message.ts } = mention;
  const permalink = await deps.readPermalink(placeOf(mention));
  if (!(await stored.isCurrent(mention))) return 'edited';
  const by = { ...mention, threadTs };
  const outcome = await deps.acts.continueRun(request, { by, words, permalink });
  if (outcome === 'not offered') return offer(request, mention);
  return outcome ? { text: outcome } : undefined;
}

function offer({ id, title, run, step }: RunRequest, mention: Mention): MentionAnswer {
  const isLive = step !== 'ended' && step !== 'not_started' && !(run && isTerminalState(run.state));
  const threadTs = mention.threadTs ?? mention.message.ts;
  return offerAgain(title, { requestId: id, threadTs, ...placeOf(mention) }, isLive);
}

type Found = { request: RunRequest; isLive: boolean };

/** Finds the thread's run: an active one, or else the newest of its conversation. */
export async function requestOfThread(
  {
    requests,
    readRunOfMessage,
  }: Pick<MentionHandlerDeps, 'readRunOfMessage'> & {
    requests: Pick<Requests, 'liveInThread' | 'findOfThread'>;
  },
  { teamId, channelId, threadTs, message }: Mention,
  botUserId: string,
): Promise<Found | undefined> {
  if (!threadTs) return undefined;
  const [live] = await requests.liveInThread(teamId, { channelId, threadTs });
  if (live) return { request: live, isLive: true };
  const root = { channelId, ts: threadTs };
  const known = await requests.findOfThread(teamId, { channelId, threadTs });
  if (known) return { request: known, isLive: false };
  if (message.parent_user_id !== botUserId) return undefined;
  const request = await readRunOfMessage(teamId, root);
  return request && { request, isLive: liveSteps.includes(request.step) };
}
