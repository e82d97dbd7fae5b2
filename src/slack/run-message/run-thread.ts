import type { MessagePlace } from '../../following/run-messages.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';

/** The thread for replies: the one below the run message, or the one that the run message is in. */
export const threadOf = (request: RunRequest): MessagePlace | undefined =>
  threadUnder(request, request.messageChannelId, request.messageTs);

/** The thread of the replaced run message; undefined if it's the same thread. */
export function replacedThreadOf(request: RunRequest): MessagePlace | undefined {
  const lost = threadUnder(request, request.replacedChannelId, request.replacedMessageTs);
  return lost?.ts === threadOf(request)?.ts ? undefined : lost;
}

function threadUnder(
  { channelId, origin }: RunRequest,
  messageChannelId: string | null,
  messageTs: string | null,
): MessagePlace | undefined {
  if (messageChannelId === null || messageTs === null) return undefined;
  const inThread = messageChannelId === channelId ? origin?.threadTs : undefined;
  return { channelId: messageChannelId, ts: inThread ?? messageTs };
}
