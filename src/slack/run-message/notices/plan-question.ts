import type { NewPost } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { closesAt, newQuestionPost, type OpenQuestion } from '../../runs/run-question.ts';
import { newNotice } from './notice-content.ts';
import { findCreator, type PlanParts, type Recipient } from './plan-notices.ts';

/** A question that closes sooner has no warning. */
const shortestWarnedMs = 60_000;

/**
 * The question in the thread, where it mentions its creator unless they want direct messages or have quiet hours. Half
 * way to its end the creator is warned once, in one place.
 */
export async function planQuestion(
  parts: PlanParts,
  request: RunRequest,
  asked: OpenQuestion,
): Promise<NewPost[]> {
  const now = Date.now();
  const creator = await findCreator(parts, request, now);
  const isCalled =
    creator !== undefined && creator.reply !== 'direct' && creator.quietUntil === undefined;
  return [
    newQuestionPost(request, asked, isCalled ? [creator.userId] : []),
    ...(creator && (!isCalled || creator.reply === 'both')
      ? [nudge(request, asked, creator, now)]
      : []),
    ...(creator ? warning(request, asked, creator, now) : []),
  ];
}

const nudge = (
  request: RunRequest,
  { postId }: OpenQuestion,
  { userId, quietUntil }: Recipient,
  now: number,
): NewPost => about(request, postId, { userId, names: [userId] }, quietUntil ?? now, 'asked');

function warning(
  request: RunRequest,
  { postId, question }: OpenQuestion,
  { userId, reply, quietUntil = 0 }: Recipient,
  now: number,
): NewPost[] {
  const closes = closesAt(question);
  if (closes === undefined || closes - now < shortestWarnedMs) return [];
  const halfWay = now + (closes - now) / 2;
  const place = { userId: reply === 'direct' ? userId : null, names: [userId] };
  return [about(request, postId, place, Math.max(halfWay, quietUntil), 'warning')];
}

/** Which round it is follows from the question, so that planning it again changes nothing. */
const about = (
  request: RunRequest,
  question: string,
  place: { userId: string | null; names: string[] },
  dueAt: number,
  round: 'asked' | 'warning',
): NewPost =>
  newNotice(
    request,
    'nudge',
    { ...place, question, round: `${round} ${question.split(' ').at(-1)}`, toChannel: false },
    dueAt,
  );
