import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';

/** The thread for replies: the one below the run message, or the one that the run message is in. */
export function threadOf(
  { channelId, origin }: RunRequest,
  message: PostPlace | null | undefined,
): PostPlace | undefined {
  if (!message) return undefined;
  const inThread = message.channelId === channelId ? origin?.threadTs : undefined;
  return { channelId: message.channelId, ts: inThread ?? message.ts };
}
