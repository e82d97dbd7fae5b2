import { type Masked, maskSecrets } from 'base/secrets/mask-secrets';
import { isTerminalState } from 'runs-client/contract';
import type { Handled } from '../../inbox/inbox.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Rights } from '../people/rights.ts';
import { type AnswerDeps, answerFromReply } from '../runs/acting/answer-question.ts';
import { renderRefusal } from '../runs/acting/ask-owner.ts';
import { asksToCancel, cancelByMessage } from '../runs/acting/cancel-run.ts';
import { type ContinueDeps, continueRun } from '../runs/acting/continue-run.ts';
import { type SendDeps, sendMessage } from '../runs/acting/send-message.ts';
import { asksForHelp, readWords } from '../runs/reading/read-words.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
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
import { requestOfThread, type ThreadParts } from './request-of-thread.ts';
import { placeOf, type StartFromMentionParts, startFromMention } from './start-from-mention.ts';

export type HandleMentionParts = StartFromMentionParts &
  ContinueDeps &
  SendDeps & {
    requests: ThreadParts['requests'] & Pick<Requests, 'askCancel' | 'find'>;
    readRunOfMessage: ThreadParts['readRunOfMessage'];
    botId(): string;
    access: Pick<RunAccess, 'command'>;
    rights: Pick<
      Rights,
      'refuseStart' | 'refuseConfigured' | 'refuseFollowUp' | 'authorizeMessage' | 'authorizeAnswer'
    >;
    answers: AnswerDeps['answers'];
    wake(): void;
    /** Before a message is sent to the run of a request. @returns false if it was edited meanwhile */
    noteSent(mention: Mention, requestId: string | undefined): Promise<boolean>;
    /** A mention before this one in its thread isn't handled yet. */
    isEarlierLeft(mention: Mention): Promise<boolean>;
    /** Blocks of `/agent help`. */
    help: MentionAnswer;
  };

/**
 * Undefined when the run message says enough. `edited`: it says something else by now, so that nothing was done.
 * `later`, `waitsFor`: nothing was done yet.
 */
type Answer = Promise<
  MentionAnswer | 'edited' | 'later' | Extract<Handled, { waitsFor: object }> | undefined
>;

/** Starts a run, messages or continues the run of this thread, or asks back. Safe to repeat. */
export async function handleMention(
  parts: HandleMentionParts,
  mention: Mention,
  botUserId: string,
): Answer {
  const { message, threadTs } = mention;
  const app = { botUserId, botId: parts.botId() };
  const found = await requestOf(parts, mention, botUserId);
  const { rights } = parts;
  const refusal = await (found?.isLive
    ? rights.refuseFollowUp(mention)
    : rights.refuseStart(mention));
  if (refusal) return { text: `⚠️ ${refusal}` };
  const masked = maskSecrets(await readWords(parts.readNames, message, app));
  if (!masked.text) return threadTs ? proposeThread(parts, mention, threadTs) : howToMention;
  if (!found?.isLive && asksForHelp(masked.text)) return parts.help;
  if (!found?.isLive && asksToCancel(masked.text)) return nothingToCancel(mention, found?.request);
  if (found?.isLive) return followUp(parts, found.request, masked, mention);
  if (found) return goOn(parts, found.request, mention, masked);
  const alone = await readWords(parts.readNames, { ...message, files: null }, app);
  return alone ? startFromMention(parts, mention, masked) : fileAlone;
}

/** After a crash it's the same as before, though its own run may be known by now, or the run of its thread over. */
async function requestOf(parts: HandleMentionParts, mention: Mention, botUserId: string) {
  const { requests } = parts;
  if (await requests.find(requestIdOf(mention))) return undefined;
  const request = mention.sentTo === undefined ? undefined : await requests.find(mention.sentTo);
  return request ? { request, isLive: true } : requestOfThread(parts, mention, botUserId);
}

async function proposeThread(
  { readThread }: HandleMentionParts,
  { channelId, userId, message }: Mention,
  threadTs: string,
): Answer {
  const { ts } = message;
  const thread = await readThread({ channelId, userId, threadTs, except: ts });
  if ('closed' in thread) return closedThread(thread.closed);
  if (thread.messages === 0) return howToMention;
  return askAboutThread({ channelId, threadTs, ts }, thread);
}

/** Words that answer what the run asks are the answer, for which other rights count. */
async function followUp(
  parts: HandleMentionParts,
  request: RunRequest,
  { text, masked }: Masked,
  mention: Mention,
): Answer {
  const { markSource } = parts;
  const { teamId, userId, channelId: conversationId } = mention;
  if (asksToCancel(text)) {
    const viewer = { teamId, userId, conversationId };
    const refusal = await cancelByMessage(parts, viewer, request.id);
    return refusal ? { text: `⚠️ ${refusal}` } : undefined;
  }
  const { runId, run, title } = request;
  if (!runId) return { waitsFor: { requestId: request.id, until: 'run' } };
  const isOver = run !== null && isTerminalState(run.state) && mention.sentTo === undefined;
  if (isOver) return waitForEnd(request, mention);
  const answered = await answerFromReply(
    parts,
    { request, userId },
    { text, ts: mention.message.ts },
  );
  if (answered === 'answered') {
    await markSource({ kind: 'mention', source: placeOf(mention) });
    return undefined;
  }
  if (answered !== 'none') return { text: `⚠️ ${answered.sentence}` };
  const authorized = await parts.rights.authorizeMessage(mention, request);
  if ('refusal' in authorized)
    return renderRefusal(parts.readNames, authorized, {
      ...placeOf(mention),
      requestId: request.id,
    });
  const { authority } = authorized;
  if (await parts.isEarlierLeft(mention)) return 'later';
  const message = { text, idempotencyKey: requestIdOf(mention), channelId: mention.channelId };
  if (!(await parts.noteSent(mention, request.id))) return 'edited';
  const sent = await sendMessage(parts, request, runId, message, authority);
  if (sent.outcome === 'not taken') {
    await parts.noteSent(mention, undefined);
    await markSource({ kind: 'mention', source: placeOf(mention) });
    return waitForEnd(request, mention);
  }
  // Not repeated: the agent may have received it.
  if (sent.outcome !== 'sent') return notPassedOn(request, sent.error.code);
  await markSource({ kind: 'mention', source: placeOf(mention) });
  return passedOn(title, masked);
}

/** The mention continues the run then. A run that nobody follows has no end here. */
const waitForEnd = (request: RunRequest, mention: Mention): Awaited<Answer> =>
  request.unfollowedAt === null
    ? { waitsFor: { requestId: request.id, until: 'end' } }
    : offer(request, mention);

/** The next run of the conversation, in the same thread. */
async function goOn(
  parts: HandleMentionParts,
  request: RunRequest,
  mention: Mention,
  words: Masked,
): Answer {
  if (await parts.isEarlierLeft(mention)) return 'later';
  const { threadTs = mention.message.ts } = mention;
  const permalink = await parts.readPermalink(placeOf(mention));
  if (!(await parts.isCurrent(mention))) return 'edited';
  const by = { ...mention, threadTs };
  const outcome = await continueRun(parts, request, { by, words, permalink });
  if (outcome === 'not offered') return offer(request, mention);
  return outcome ? { text: outcome } : undefined;
}

function offer({ id, title, run, step }: RunRequest, mention: Mention): MentionAnswer {
  const isLive = step !== 'ended' && step !== 'not_started' && !(run && isTerminalState(run.state));
  const threadTs = mention.threadTs ?? mention.message.ts;
  return offerAgain(title, { requestId: id, threadTs, ...placeOf(mention) }, isLive);
}
