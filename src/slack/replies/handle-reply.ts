import { type Masked, maskSecrets } from 'base/secrets/mask-secrets';
import { isTerminalState } from 'runs-client/contract';
import type { Handled, Intake } from '../../inbox/inbox.ts';
import type { Authority } from '../../requests/authority.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Rights } from '../people/rights.ts';
import {
  type MarkSource,
  type React,
  type ReadPermalink,
  startedReaction,
} from '../posting/source-message.ts';
import { type AnswerParts, answerFromReply } from '../runs/acting/answer-question.ts';
import { renderRefusal } from '../runs/acting/ask-owner.ts';
import { asksToCancel, cancelByMessage } from '../runs/acting/cancel-run.ts';
import { type ContinueParts, continueRun } from '../runs/acting/continue-run.ts';
import { type MessageOutcome, type SendParts, sendMessage } from '../runs/acting/send-message.ts';
import { asksForHelp, readWords } from '../runs/reading/read-words.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import type { ReadRunOfMessage } from '../runs/reading/run-of-message.ts';
import { messageKey, requestIdOf, threadKey } from '../runs/run-ref.ts';
import { offerAgain } from '../runs/showing/buttons/offer-again.ts';
import { placeOf, type Reply } from './read-reply.ts';
import { filesNotSent, notSent, sentMasked, sentReaction } from './reply-answers.ts';
import type { TellAuthor } from './tell-author.ts';

export type HandleReplyParts = ContinueParts &
  AnswerParts &
  SendParts & {
    rights: Pick<Rights, 'authorizeAnswer' | 'authorizeMessage'>;
    requests: Pick<Requests, 'find' | 'findOfThread' | 'askCancel'>;
    access: Pick<RunAccess, 'message' | 'command'>;
    readRunOfMessage: ReadRunOfMessage;
    react: React;
    readPermalink: ReadPermalink;
    markSource: MarkSource;
    tell: TellAuthor;
    /** Blocks of `/agent help`. */
    help: Parameters<TellAuthor>[1];
    botUserId(): string;
    botId(): string;
  };

type Work = HandleReplyParts & {
  reply: Reply;
  replies: Pick<Intake<Reply>, 'change' | 'hasEarlier'>;
};

const again = () => ({ againAt: Date.now() + 1_000 });

/** Sends a reply to the run of its thread, or continues the conversation of a run that has ended. Safe to repeat. */
export async function handleReply(work: Work): Promise<Handled> {
  const { reply, requests, access, tell } = work;
  if (reply.isWithdrawn) return 'done';
  const { teamId, userId, channelId: conversationId } = reply;
  const started = await requests.find(requestIdOf(reply));
  if (started?.origin) {
    await work.markSource(started.origin);
    return 'done';
  }
  const root = { channelId: conversationId, ts: reply.threadTs };
  const request =
    (await requests.findOfThread(teamId, reply)) ?? (await work.readRunOfMessage(teamId, root));
  if (!request) return 'done';
  const viewer = { teamId, userId, conversationId };
  const { text } = await readReplyText(work, reply);
  if (asksToCancel(text)) {
    const refusal = await cancelByMessage(work, viewer, request.id);
    if (refusal) await tell(reply, { text: `⚠️ ${refusal}` });
    else await work.react(placeOf(reply), sentReaction);
    return 'done';
  }
  const found = await access.message(viewer, request.id);
  if ('sentence' in found) {
    await tell(reply, { text: `⚠️ ${found.sentence}` }, refusedOnce(work));
    return 'done';
  }
  if (reply.sentTo) return sendIfAllowed(work, request, reply.sentTo);
  if (request.step === 'ended' || request.step === 'not_started') {
    if (!asksForHelp(text)) return goOn(work, request);
    await tell(reply, work.help);
    return 'done';
  }
  const { id: requestId, runId, run, unfollowedAt } = request;
  if (!runId) return { waitsFor: { requestId, until: 'run' } };
  if (isTerminalState(run?.state ?? ''))
    return unfollowedAt === null ? { waitsFor: { requestId, until: 'end' } } : offer(work, request);
  const answered = await answerFromReply(work, { request, userId }, { text, ts: reply.message.ts });
  if (answered === 'none') return sendIfAllowed(work, request, runId);
  if (answered === 'answered') await work.react(placeOf(reply), sentReaction);
  else await tell(reply, { text: `⚠️ ${answered.sentence}` });
  return 'done';
}

/** People who only talk in a thread read it once. Someone who mentions the app waits for an answer. */
const refusedOnce = ({ reply, botUserId }: Work): string | undefined =>
  reply.message.text?.includes(`<@${botUserId()}`) ? undefined : 'refused';

async function readReplyText(
  { readNames, ...parts }: Pick<Work, 'readNames' | 'botUserId' | 'botId'>,
  { message }: Reply,
): Promise<Masked> {
  const app = { botUserId: parts.botUserId(), botId: parts.botId() };
  return maskSecrets(await readWords(readNames, { ...message, files: null }, app));
}

async function sendIfAllowed(work: Work, request: RunRequest, runId: string): Promise<Handled> {
  const { rights, reply, tell, readNames } = work;
  const authorized = await rights.authorizeMessage(reply, request);
  if ('authority' in authorized) return send(work, request, runId, authorized.authority);
  const unsent = { requestId: request.id, channelId: reply.channelId, ts: reply.message.ts };
  await tell(reply, await renderRefusal(readNames, authorized, unsent), refusedOnce(work));
  return 'done';
}

const isEarlierLeft = ({ replies, reply }: Work) =>
  replies.hasEarlier(messageKey(placeOf(reply)), threadKey(reply.channelId, reply.threadTs));

/** @param runId the run of the thread, or the one that may have received the reply before a crash */
async function send(
  work: Work,
  request: RunRequest,
  runId: string,
  authority: Authority,
): Promise<Handled> {
  if (await isEarlierLeft(work)) return again();
  const { reply, tell, react } = work;
  const key = messageKey(placeOf(reply));
  // From here on, edits come too late.
  const latest = await work.replies.change(key, (known) => ({ ...known, sentTo: runId }));
  if (!latest || latest.isWithdrawn) return 'done';
  const { text, masked: count } = await readReplyText(work, latest);
  const hasFiles = (latest.message.files ?? []).length > 0;
  if (hasFiles) await tell(reply, { text: filesNotSent }, text && 'files');
  if (!text) return 'done';
  const idempotencyKey = requestIdOf(reply);
  const message = { text, idempotencyKey, channelId: reply.channelId };
  const sent = await sendMessage(work, request, runId, message, authority);
  if (sent.outcome === 'sent') {
    await react(placeOf(reply), sentReaction);
    if (count > 0) await tell(reply, { text: sentMasked(count) });
    return 'done';
  }
  return afterFailure(work, request, sent);
}

async function afterFailure(
  work: Work,
  request: RunRequest,
  sent: Exclude<MessageOutcome, { outcome: 'sent' }>,
): Promise<Handled> {
  const { reply, replies, tell, react } = work;
  if (sent.outcome === 'unclear') {
    await tell(reply, { text: notSent(sent.error.code, request.connectionId) });
    return 'done';
  }
  // A try before this one may have reached the run, so it only goes there.
  const mayHaveCome = sent.outcome === 'undone' && reply.sentTo !== undefined;
  if (!mayHaveCome)
    await replies.change(messageKey(placeOf(reply)), ({ sentTo: _, ...known }) => known);
  // The inbox tries again, and gives up after half an hour.
  if (sent.outcome === 'undone') throw sent.error;
  // Another run of the thread has begun since.
  if (reply.sentTo && reply.sentTo !== request.runId) return again();
  if (request.unfollowedAt !== null) return offer(work, request);
  await react(placeOf(reply), startedReaction);
  return { waitsFor: { requestId: request.id, until: 'end' } };
}

/** The next run of the conversation, in the same thread. */
async function goOn(work: Work, request: RunRequest): Promise<Handled> {
  const { reply, tell } = work;
  if (await isEarlierLeft(work)) return again();
  // Edits count while Slack answers.
  const permalink = await work.readPermalink(placeOf(reply));
  const latest = await work.replies.change(messageKey(placeOf(reply)), () => undefined);
  if (!latest || latest.isWithdrawn) return 'done';
  const words = await readReplyText(work, latest);
  const outcome = await continueRun(work, request, { by: latest, words, permalink });
  if (outcome === 'not offered') return offer(work, request);
  if (outcome) await tell(reply, { text: outcome });
  return 'done';
}

async function offer({ reply, tell }: Work, request: RunRequest): Promise<Handled> {
  const isLive = request.step !== 'ended' && request.step !== 'not_started';
  const again = { ...placeOf(reply), requestId: request.id };
  await tell(reply, offerAgain(request.title, again, isLive));
  return 'done';
}
