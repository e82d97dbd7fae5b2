import type { PostOutcome } from '../../outbox/outcomes.ts';
import type { Post } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { readWriteFailure } from '../posting/slack-budget.ts';
import { outcomeOf } from '../posting/slack-failure.ts';
import { type NoticePlace, noticeMetadata } from './message-metadata.ts';
import type { NoticeContent } from './notice-content.ts';
import type { NoticeMessage, NoticeParts } from './notice-parts.ts';
import { shortEndReply } from './render-end-reply.ts';

type Posting = { place: NoticePlace; request: RunRequest; post: Post; content: NoticeContent };

/** Retries with a short text if Slack refuses a notice as too long. */
export async function postNotice(
  parts: Pick<NoticeParts, 'client' | 'budget'>,
  posting: Posting,
  message: NoticeMessage,
): Promise<PostOutcome> {
  const first = await postOnce(parts, posting, message);
  const isTooLong = first.outcome === 'refused' && outcomeOf('reply', first.reason) === 'shorter';
  return isTooLong ? await postOnce(parts, posting, { text: shortEndReply(message.text) }) : first;
}

async function postOnce(
  { client, budget }: Pick<NoticeParts, 'client' | 'budget'>,
  { place, request, post, content }: Posting,
  message: NoticeMessage,
): Promise<PostOutcome> {
  const { channel, thread_ts: ts } = place;
  const isShown = content.toChannel && ts !== undefined;
  // Run messages in the same channel go first.
  const write = { kind: 'post', channelId: channel, requestId: request.id } as const;
  const waitMs = budget.take({ ...write, priority: 'usual' });
  if (waitMs > 0) return { ...ownRateLimit, retryAfterMs: waitMs };
  try {
    const posted = await client.chat.postMessage({
      ...(isShown ? { channel, thread_ts: ts, reply_broadcast: true } : place),
      ...message,
      metadata: noticeMetadata(request, post.id),
      unfurl_links: false,
      unfurl_media: false,
    });
    return { outcome: 'posted', place: { channelId: channel, ts: posted.ts ?? '' } };
  } catch (error) {
    return readWriteFailure(budget, write, error);
  }
}

/** Our own limit, which stays below Slack's. Slack wasn't called. */
export const ownRateLimit = {
  outcome: 'later',
  reason: 'own_rate_limit',
  isUndone: true,
  isQuiet: true,
} as const;
