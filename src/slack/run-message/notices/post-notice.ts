import type { WebClient } from '@slack/web-api';
import type { PostOutcome } from '../../../outbox/outcomes.ts';
import type { Outbox } from '../../../store/outbox/outbox.ts';
import type { OutboxRow, Post } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import {
  type Found,
  findAll,
  findFirst,
  findMarked,
  type MessagePlace,
} from '../../posting/marked-messages.ts';
import { openDirectMessage, postMessage } from '../../posting/post-message.ts';
import type { SlackBudget } from '../../posting/slack-budget.ts';
import type { SlackClock } from '../../posting/slack-clock.ts';
import { outcomeOf } from '../../posting/slack-failure.ts';
import { threadOf } from '../../runs/run-ref.ts';
import { noticeMark } from '../run-message-writer.ts';
import { isInThread, type NoticeContent } from './notice-content.ts';
import type { NoticeVersion } from './render-end-reply.ts';
import { newAnswerFile } from './upload-content.ts';

type Posting = { place: MessagePlace; request: RunRequest; post: Post; content: NoticeContent };

/** Posts the first of these versions that Slack accepts. */
export async function postNotice(
  deps: { client: WebClient; budget: SlackBudget; outbox: Pick<Outbox, 'plan'> },
  posting: Posting,
  versions: readonly NoticeVersion[],
): Promise<PostOutcome> {
  const { client, budget, outbox } = deps;
  const { place, request, post, content } = posting;
  const { channel, thread_ts: ts } = place;
  const isShown = content.toChannel && ts !== undefined;
  const to = isShown ? ({ channel, thread_ts: ts, reply_broadcast: true } as const) : place;
  // Use the priority `usual`, so that run messages in the same channel go first.
  const write = { kind: 'post', channelId: place.channel, requestId: request.id } as const;
  const waitMs = budget.take({ ...write, priority: 'usual' });
  let last: PostOutcome = { ...ownRateLimit, retryAfterMs: waitMs };
  if (waitMs > 0) return last;
  for (const { message, withFile } of versions) {
    // Plan the file first, so that a crash can't leave the answer's beginning without it. Planning it again changes
    // nothing.
    if (withFile) await outbox.plan([newAnswerFile(request, content.userId, Date.now())]);
    last = await postMessage({ client, budget }, to, noticeMark(request, post.id), message);
    if (last.outcome !== 'rejected' || outcomeOf('post', last.reason) !== 'shorter') return last;
  }
  return last;
}

/** Outcome if the app's own limit delays a post before Slack is called. The limit is below Slack's. */
export const ownRateLimit = {
  outcome: 'later',
  reason: 'own_rate_limit',
  isUndone: true,
  isQuiet: true,
} as const;

/**
 * Creates functions that find the place for a notice, and its copies from earlier attempts.
 * @param message the run message
 */
export function createNoticePlaces(
  { client, clock }: { client: WebClient; clock: SlackClock },
  deps: {
    post: Post;
    request: RunRequest;
    content: NoticeContent;
    message: OutboxRow | undefined;
  },
) {
  const { post, request, content, message } = deps;
  async function current(): Promise<MessagePlace | undefined> {
    if (content.userId !== null)
      return { channel: await openDirectMessage(client, content.userId) };
    const thread = threadOf(request, message?.place);
    if (!thread) return undefined;
    return post.kind === 'pointer'
      ? { channel: thread.channelId }
      : { channel: thread.channelId, thread_ts: thread.ts };
  }

  /** Returns the thread of a replaced run message, where a delayed post may have landed. */
  function before(): MessagePlace | undefined {
    if (!isInThread(post)) return undefined;
    const lost = threadOf(request, message?.replaced);
    const isSame = lost?.ts === threadOf(request, message?.place)?.ts;
    return lost && !isSame ? { channel: lost.channelId, thread_ts: lost.ts } : undefined;
  }

  async function* copies(sinceMs: number, earlier: MessagePlace | undefined): Found {
    for (const place of [await current(), earlier])
      if (place) yield* findMarked(client, place, noticeMark(request, post.id), sinceMs);
  }

  const planned = () => clock.fromOwnMs(post.createdAt);
  return {
    current,
    find: () => findFirst(copies(post.beganAt ?? planned(), undefined)),
    findCopies: () => findAll(copies(planned(), before())),
  };
}
