import type { PostOutcome } from '../../../outbox/outcomes.ts';
import type { Post } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { MessagePlace } from '../../posting/marked-messages.ts';
import { postMessage } from '../../posting/post-message.ts';
import { outcomeOf } from '../../posting/slack-failure.ts';
import { noticeMark } from '../message-metadata.ts';
import type { NoticeContent } from './notice-content.ts';
import type { NoticeMessage, NoticeParts } from './notice-parts.ts';
import { shortEndReply } from './render-end-reply.ts';

type Posting = { place: MessagePlace; request: RunRequest; post: Post; content: NoticeContent };

/** Retries with a short text if Slack refuses a notice as too long. */
export async function postNotice(
  parts: Pick<NoticeParts, 'client' | 'budget'>,
  posting: Posting,
  message: NoticeMessage,
): Promise<PostOutcome> {
  const first = await postOnce(parts, posting, message);
  const isTooLong = first.outcome === 'refused' && outcomeOf('post', first.reason) === 'shorter';
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
