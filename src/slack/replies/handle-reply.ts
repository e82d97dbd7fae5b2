import { type Masked, maskSecrets } from 'base/secrets/mask-secrets';
import { isTerminalState } from 'runs-client/contract';
import type { InboxOutcome, Intake } from '../../inbox/inbox.ts';
import type { Authority } from '../../requests/authority.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { ReadNames } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import {
  type MarkSource,
  type React,
  type ReadPermalink,
  startedReaction,
} from '../posting/source-message.ts';
import { renderDenial } from '../runs/acting/ask-owner.ts';
import { isCancelMessage } from '../runs/acting/cancel-run.ts';
import type { MessageActs } from '../runs/acting/message-acts.ts';
import type { MessageOutcome } from '../runs/acting/send-message.ts';
import { asksForHelp, readWords } from '../runs/reading/read-words.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import type { ReadRunOfMessage } from '../runs/reading/run-of-message.ts';
import { messageKey, requestIdOf, threadKey } from '../runs/run-ref.ts';
import { offerAgain } from '../runs/showing/buttons/offer-again.ts';
import { placeOf, type Reply } from './read-reply.ts';
import {
  filesNotSent,
  notSent,
  sentMasked,
  sentReaction,
  type TellAuthor,
} from './reply-answers.ts';

type Deps = {
  requests: Pick<Requests, 'find' | 'findOfThread'>;
  access: Pick<RunAccess, 'message'>;
  rights: Pick<Rights, 'authorizeMessage'>;
  readRunOfMessage: ReadRunOfMessage;
  readNames: ReadNames;
  readPermalink: ReadPermalink;
  acts: MessageActs;
  react: React;
  markSource: MarkSource;
  tell: TellAuthor;
  /** Blocks of the answer to `/agent help`. */
  help: Parameters<TellAuthor>[1];
  botUserId(): string;
  botId(): string;
};

/** Reply to handle, and the intake that stores it. */
type Work = { reply: Reply; replies: Pick<Intake<Reply>, 'change' | 'hasEarlier'> };

export type HandleReply = (reply: Reply, replies: Work['replies']) => Promise<InboxOutcome>;

export const createReplyHandler =
  (deps: Deps): HandleReply =>
  (reply, replies) =>
    handleReply(deps, { reply, replies });

const again = () => ({ againAt: Date.now() + 1_000 });

/**
 * Sends a reply to the run of its thread, or continues the conversation of a run that has ended. Handling a reply twice
 * is safe.
 */
async function handleReply(deps: Deps, work: Work): Promise<InboxOutcome> {
  const { requests, access, acts, tell, react } = deps;
  const { reply } = work;
  if (reply.isWithdrawn) return 'done';
  const { teamId, userId, channelId: conversationId } = reply;
  const started = await requests.find(requestIdOf(reply));
  if (started?.origin) {
    await deps.markSource(started.origin);
    return 'done';
  }
  const root = { channelId: conversationId, ts: reply.threadTs };
  const request =
    (await requests.findOfThread(teamId, reply)) ?? (await deps.readRunOfMessage(teamId, root));
  if (!request) return 'done';
  const viewer = { teamId, userId, conversationId };
  const { text } = await readReplyText(deps, reply);
  if (isCancelMessage(text)) {
    const denial = await acts.cancel(viewer, request.id);
    if (denial) await tell(reply, { text: `⚠️ ${denial}` });
    else await react(placeOf(reply), sentReaction);
    return 'done';
  }
  const found = await access.message(viewer, request.id);
  if ('sentence' in found) {
    await tell(reply, { text: `⚠️ ${found.sentence}` }, rejectedOnce(deps, reply));
    return 'done';
  }
  if (reply.sentTo) return sendIfAllowed(deps, work, request, reply.sentTo);
  if (request.step === 'ended' || request.step === 'not_started') {
    if (!asksForHelp(text)) return continueConversation(deps, work, request);
    await tell(reply, deps.help);
    return 'done';
  }
  const { id: requestId, runId, run, unfollowedAt } = request;
  if (!runId) return { waitsFor: { requestId, until: 'run' } };
  if (isTerminalState(run?.state ?? ''))
    return unfollowedAt === null
      ? { waitsFor: { requestId, until: 'end' } }
      : offer(deps, work, request);
  const answered = await acts.answer({ request, userId }, { text, ts: reply.message.ts });
  if (answered === 'none') return sendIfAllowed(deps, work, request, runId);
  if (answered === 'answered') await react(placeOf(reply), sentReaction);
  else await tell(reply, { text: `⚠️ ${answered.sentence}` });
  return 'done';
}

/**
 * Returns the key with which a person gets a denial only once in a thread. Returns undefined for a reply that mentions
 * the app, because the author expects an answer.
 */
const rejectedOnce = ({ botUserId }: Deps, reply: Reply): string | undefined =>
  reply.message.text?.includes(`<@${botUserId()}`) ? undefined : 'rejected';

async function readReplyText(
  { readNames, botUserId, botId }: Deps,
  { message }: Reply,
): Promise<Masked> {
  const app = { botUserId: botUserId(), botId: botId() };
  return maskSecrets(await readWords(readNames, { ...message, files: null }, app));
}

async function sendIfAllowed(
  deps: Deps,
  work: Work,
  request: RunRequest,
  runId: string,
): Promise<InboxOutcome> {
  const { rights, tell, readNames } = deps;
  const { reply } = work;
  const authorized = await rights.authorizeMessage(reply, request);
  if ('authority' in authorized) return send(deps, work, request, runId, authorized.authority);
  const unsent = { requestId: request.id, channelId: reply.channelId, ts: reply.message.ts };
  await tell(reply, await renderDenial(readNames, authorized, unsent), rejectedOnce(deps, reply));
  return 'done';
}

const isEarlierLeft = ({ replies, reply }: Work) =>
  replies.hasEarlier(messageKey(placeOf(reply)), threadKey(reply.channelId, reply.threadTs));

/**
 * Sends a reply to a run.
 * @param runId the run of the thread, or the one that may have received the reply before a crash
 */
async function send(
  deps: Deps,
  work: Work,
  request: RunRequest,
  runId: string,
  authority: Authority,
): Promise<InboxOutcome> {
  if (await isEarlierLeft(work)) return again();
  const { tell, react } = deps;
  const { reply } = work;
  const key = messageKey(placeOf(reply));
  // Record the run before sending. Later edits are ignored, because the reply may have been sent.
  const latest = await work.replies.change(key, (stored) => ({ ...stored, sentTo: runId }));
  if (!latest || latest.isWithdrawn) return 'done';
  const { text, masked: count } = await readReplyText(deps, latest);
  const hasFiles = (latest.message.files ?? []).length > 0;
  if (hasFiles) await tell(reply, { text: filesNotSent }, text && 'files');
  if (!text) return 'done';
  const idempotencyKey = requestIdOf(reply);
  const message = { text, idempotencyKey, channelId: reply.channelId };
  const sent = await deps.acts.send(request, runId, message, authority);
  if (sent.outcome === 'sent') {
    await react(placeOf(reply), sentReaction);
    if (count > 0) await tell(reply, { text: sentMasked(count) });
    return 'done';
  }
  return afterFailure(deps, work, request, sent);
}

async function afterFailure(
  deps: Deps,
  work: Work,
  request: RunRequest,
  sent: Exclude<MessageOutcome, { outcome: 'sent' }>,
): Promise<InboxOutcome> {
  const { tell, react } = deps;
  const { reply, replies } = work;
  if (sent.outcome === 'unclear') {
    await tell(reply, { text: notSent(sent.error.code, request.connectionId) });
    return 'done';
  }
  // Keep `sentTo` if an earlier attempt may have reached its run, so that the reply goes only there.
  const mightHaveArrived = sent.outcome === 'undone' && reply.sentTo !== undefined;
  if (!mightHaveArrived)
    await replies.change(messageKey(placeOf(reply)), ({ sentTo: _, ...stored }) => stored);
  // Throw the error, so that the inbox retries for half an hour.
  if (sent.outcome === 'undone') throw sent.error;
  // Handle the reply again if another run of the thread has started since.
  if (reply.sentTo && reply.sentTo !== request.runId) return again();
  if (request.unfollowedAt !== null) return offer(deps, work, request);
  await react(placeOf(reply), startedReaction);
  return { waitsFor: { requestId: request.id, until: 'end' } };
}

/** Starts the next run of the conversation, in the same thread. */
async function continueConversation(
  deps: Deps,
  work: Work,
  request: RunRequest,
): Promise<InboxOutcome> {
  const { acts, tell } = deps;
  const { reply } = work;
  if (await isEarlierLeft(work)) return again();
  // Read the reply after the call to Slack, so that edits made meanwhile apply.
  const permalink = await deps.readPermalink(placeOf(reply));
  const latest = await work.replies.change(messageKey(placeOf(reply)), () => undefined);
  if (!latest || latest.isWithdrawn) return 'done';
  const words = await readReplyText(deps, latest);
  const outcome = await acts.continueRun(request, { by: latest, words, permalink });
  if (outcome === 'not offered') return offer(deps, work, request);
  if (outcome) await tell(reply, { text: outcome });
  return 'done';
}

async function offer({ tell }: Deps, { reply }: Work, request: RunRequest): Promise<InboxOutcome> {
  const isLive = request.step !== 'ended' && request.step !== 'not_started';
  const again = { ...placeOf(reply), requestId: request.id };
  await tell(reply, offerAgain(request.title, again, isLive));
  return 'done';
}
