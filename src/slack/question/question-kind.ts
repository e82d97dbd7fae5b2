import { fingerprint } from 'base/fingerprint';
import type { KeptPost, OpenPost, PostKind } from '../../outbox/post-kind.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Post } from '../../store/outbox/outbox-row.ts';
import type { Answers } from '../../store/requests/answers.ts';
import { readWriteFailure } from '../posting/slack-budget.ts';
import { outcomeOf } from '../posting/slack-failure.ts';
import { closesAt, readQuestionPost } from '../runs/run-question.ts';
import { createQuestionPlaces, type QuestionPlaceParts } from './question-places.ts';
import { type QuestionStatus, questionStatus } from './question-status.ts';
import { type QuestionMessage, renderQuestion } from './render-question.ts';

type QuestionKindParts = QuestionPlaceParts & {
  outbox: Pick<Outbox, 'find'>;
  answers: Pick<Answers, 'find'>;
};

/** Nothing was written, and the operator can't act on it. */
const untilLater = { outcome: 'later', isUndone: true, isQuiet: true } as const;
/** If the service refuses the answer, the question is open again. */
const beingSent = { ...untilLater, reason: 'its answer is being sent', retryAfterMs: 0 };

/** A card in a channel that is closed can't be removed either, and its buttons come back with the channel. */
const lookAgainMs = 30_000;
const lookAgainForMs = 60 * 60_000;

/** The question of an agent, in the thread of its run. It's kept up to date: who answered what, or how else it ended. */
export function createQuestionKind(parts: QuestionKindParts): PostKind {
  return {
    async open(post): Promise<OpenPost | undefined> {
      const { id: postId, request } = post;
      if (!request) return undefined;
      const [message, answer] = await Promise.all([
        parts.outbox.find(request.id),
        parts.answers.find(postId),
      ]);
      const content = readQuestionPost(post);
      const status = questionStatus({ postId, content, request, answer }, Date.now());
      const isOver = status !== 'open' && status !== 'sending';
      // It was closed before anyone saw it.
      if (post.state === 'waiting' && post.beganAt === null && isOver) return undefined;
      const shown = renderQuestion({ postId, request, content, status, answer });
      const places = createQuestionPlaces(parts, { post, request, message });
      return {
        find: places.find,
        findCopies: places.findCopies,
        prepare: async () => (status === 'sending' ? beingSent : undefined),
        post: () => places.post(shown),
        instead: [],
        kept: keep(parts, post, status, shown),
      };
    },
  };
}

function keep(
  { client, budget }: QuestionKindParts,
  post: Post,
  status: QuestionStatus,
  message: QuestionMessage,
): KeptPost {
  const content = readQuestionPost(post);
  return {
    shown: fingerprint(message),

    async waitMs(kind) {
      const channelId = post.place?.channelId ?? post.request?.channelId ?? '';
      const write = { channelId, requestId: post.id, priority: 'question' } as const;
      return kind === 'post'
        ? budget.take({ ...write, kind })
        : await budget.takeShared({ ...write, kind });
    },

    async update({ channelId, ts }) {
      try {
        await client.chat.update({ channel: channelId, ts, ...message });
        return { outcome: 'shown' };
      } catch (error) {
        const failure = readWriteFailure(budget, { kind: 'update', channelId }, error);
        if (failure.outcome !== 'refused') return failure;
        const { reason } = failure;
        const answer = outcomeOf('update', reason);
        if (answer === 'shorter') return { outcome: 'refused', reason };
        const isOld = Date.now() - post.createdAt > lookAgainForMs;
        if (answer === 'direct' && status !== 'open' && !isOld)
          return { ...untilLater, reason, retryAfterMs: lookAgainMs };
        // One that can't be edited is replaced while it's open, and otherwise removed, because its buttons would stay. One
        // that someone deleted isn't posted again: the run message has a button too.
        return { outcome: 'gone', reason, repost: answer === 'repost' ? 'here' : null };
      }
    },

    async whenCurrent(tracked) {
      const closes = closesAt(content.question) ?? null;
      if (status === 'open') return { outcome: 'planned', dueAt: closes };
      const isEnd = status === 'expired' || status === 'elsewhere' || status === 'over';
      // What it says doesn't change any more.
      if (isEnd && !content.closed) tracked.note({ content: { ...content, closed: status } });
      return { outcome: 'planned', dueAt: null };
    },

    moveReplies: async () => [],
  };
}
