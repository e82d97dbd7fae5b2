import type { CopiesOutcome, FindOutcome } from '../../outbox/outcomes.ts';
import type { OutboxRow, Post } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { openDirectMessage } from '../posting/direct-message.ts';
import { collect } from '../posting/marked-messages.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { threadOf } from '../runs/run-thread.ts';
import { eachNotice, type NoticePlace, type Search } from './message-metadata.ts';
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
  async function current(): Promise<NoticePlace | undefined> {
    if (content.userId !== null)
      return { channel: await openDirectMessage(client, content.userId) };
    const thread = threadOf(request, message?.place);
    if (!thread) return undefined;
    return post.kind === 'pointer'
      ? { channel: thread.channelId }
      : { channel: thread.channelId, thread_ts: thread.ts };
  }

  /** The thread of a replaced run message, where a delayed post may have landed. */
  function before(): NoticePlace | undefined {
    if (!isInThread(post)) return undefined;
    const lost = threadOf(request, message?.replaced);
    const isSame = lost?.ts === threadOf(request, message?.place)?.ts;
    return lost && !isSame ? { channel: lost.channelId, thread_ts: lost.ts } : undefined;
  }

  const each = (place: NoticePlace, sinceMs: number) =>
    eachNotice({ client, clock }, place, post.id, sinceMs);

  return {
    current,

    async find(): Promise<FindOutcome> {
      try {
        const place = await current();
        const sinceMs = post.beganAt ?? clock.fromOwnMs(post.createdAt);
        const found = place && (await each(place, sinceMs).next()).value;
        return found ? { outcome: 'posted', place: found } : { outcome: 'absent' };
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async findCopies(): Promise<CopiesOutcome> {
      try {
        const places = [await current(), before()].filter((place) => place !== undefined);
        const sinceMs = clock.fromOwnMs(post.createdAt);
        const found = await Promise.all(places.map((place) => collect(each(place, sinceMs))));
        return { outcome: 'found', places: found.flat() };
      } catch (error) {
        return readSlackFailure(error);
      }
    },
  };
}
