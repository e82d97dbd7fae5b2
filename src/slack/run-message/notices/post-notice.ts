import type { PostOutcome } from '../../../outbox/outcomes.ts';
import type { OutboxRow, Post } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { openDirectMessage } from '../../posting/direct-message.ts';
import {
  type Found,
  findAll,
  findFirst,
  findMarked,
  type MessagePlace,
} from '../../posting/marked-messages.ts';
import { postMessage } from '../../posting/post-message.ts';
import { outcomeOf } from '../../posting/slack-failure.ts';
import { threadOf } from '../../runs/run-thread.ts';
import { noticeMark, type Search } from '../run-message-writer.ts';
import { isInThread, type NoticeContent } from './notice-content.ts';
import type { NoticeMessage, NoticeParts, NoticeVersion } from './render-end-reply.ts';
import { newAnswerFile } from './upload-content.ts';

type Posting = { place: MessagePlace; request: RunRequest; post: Post; content: NoticeContent };
type PostParts = Pick<NoticeParts, 'client' | 'budget' | 'outbox'>;

/** Posts the first of these versions that isn't too much for Slack. */
export async function postNotice(
  parts: PostParts,
  posting: Posting,
  versions: readonly NoticeVersion[],
): Promise<PostOutcome> {
  const { place, request, content } = posting;
  // Run messages in the same channel go first.
  const write = { kind: 'post', channelId: place.channel, requestId: request.id } as const;
  const waitMs = parts.budget.take({ ...write, priority: 'usual' });
  let last: PostOutcome = { ...ownRateLimit, retryAfterMs: waitMs };
  if (waitMs > 0) return last;
  for (const { message, withFile } of versions) {
    // Planned first, so that no crash can leave the beginning without it. Planning it again changes nothing.
    if (withFile) await parts.outbox.plan([newAnswerFile(request, content.userId, Date.now())]);
    last = await postVersion(parts, posting, message);
    if (last.outcome !== 'refused' || outcomeOf('post', last.reason) !== 'shorter') return last;
  }
  return last;
}

function postVersion(
  { client, budget }: PostParts,
  { place, request, post, content }: Posting,
  message: NoticeMessage,
): Promise<PostOutcome> {
  const { channel, thread_ts: ts } = place;
  const isShown = content.toChannel && ts !== undefined;
  const shown = { channel, thread_ts: ts ?? '', reply_broadcast: true } as const;
  const mark = noticeMark(request, post.id);
  return postMessage({ client, budget }, isShown ? shown : place, mark, message);
}

/** Our own limit, which stays below Slack's. Slack wasn't called. */
export const ownRateLimit = {
  outcome: 'later',
  reason: 'own_rate_limit',
  isUndone: true,
  isQuiet: true,
} as const;

type Placed = {
  post: Post;
  request: RunRequest;
  content: NoticeContent;
  message: OutboxRow | undefined;
};

/** Where a notice is posted, and where it may have been posted before. */
export function createNoticePlaces(
  { client, clock }: Search,
  { post, request, content, message }: Placed,
) {
  async function current(): Promise<MessagePlace | undefined> {
    if (content.userId !== null)
      return { channel: await openDirectMessage(client, content.userId) };
    const thread = threadOf(request, message?.place);
    if (!thread) return undefined;
    return post.kind === 'pointer'
      ? { channel: thread.channelId }
      : { channel: thread.channelId, thread_ts: thread.ts };
  }

  /** The thread of a replaced run message, where a delayed post may have landed. */
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
