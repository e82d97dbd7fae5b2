import type { OutboxRow, Post } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import {
  type Found,
  findAll,
  findFirst,
  findMarked,
  type MessagePlace,
} from '../../posting/marked-messages.ts';
import { openDirectMessage } from '../../posting/post-message.ts';
import { threadOf } from '../../runs/run-ref.ts';
import { noticeMark, type Search } from '../message-metadata.ts';
import { isInThread, type NoticeContent } from './notice-content.ts';

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
