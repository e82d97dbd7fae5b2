import type { MessagePlace } from '../../following/run-messages.ts';
import type { RunRequest } from '../../store/request-row.ts';

/** Where replies go. Where the run message stands in a thread itself, they go into that thread. */
export const threadOf = (request: RunRequest): MessagePlace | undefined =>
  threadUnder(request, request.messageChannelId, request.messageTs);

/** Where they went before the run message was given up for another one; undefined when that is the same thread. */
export function lostThreadOf(request: RunRequest): MessagePlace | undefined {
  const lost = threadUnder(request, request.lostChannelId, request.lostMessageTs);
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
