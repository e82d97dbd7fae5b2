import type { MessagePlace } from '../../following/run-messages.ts';
import type { RunRequest } from '../../store/request-row.ts';

/** Where replies go. Where the run message stands in a thread itself, they go into that thread. */
export function threadOf({
  messageChannelId,
  messageTs,
  channelId,
  origin,
}: RunRequest): MessagePlace | undefined {
  if (messageChannelId === null || messageTs === null) return undefined;
  const inThread = messageChannelId === channelId ? origin?.threadTs : undefined;
  return { channelId: messageChannelId, ts: inThread ?? messageTs };
}
