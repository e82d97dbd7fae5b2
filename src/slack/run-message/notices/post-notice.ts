import type { PostOutcome } from '../../../outbox/outcomes.ts';
import type { Post } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { MessagePlace } from '../../posting/marked-messages.ts';
import { postMessage } from '../../posting/post-message.ts';
import { outcomeOf } from '../../posting/slack-failure.ts';
import { noticeMark } from '../message-metadata.ts';
import { newAnswerFile } from '../uploads/upload-content.ts';
import type { NoticeContent } from './notice-content.ts';
import type { NoticeMessage, NoticeParts, NoticeVersion } from './notice-parts.ts';

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
