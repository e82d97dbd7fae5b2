import type { ChannelEntry, MessageEntry } from '../../page-entry.ts';

/** By channel id, the time of the last message that was seen there. */
export type LastRead = Record<string, string>;

type Seen = { messages: MessageEntry[]; channels: ChannelEntry[]; here: string | undefined };

/** An open channel is read to its end. On the very first visit all is read; a channel that comes later is unread. */
export function readUpTo(lastRead: LastRead, { messages, channels, here }: Seen): LastRead {
  const isFirstVisit = Object.keys(lastRead).length === 0;
  const newest = new Map<string, string>();
  for (const { channel, ts } of messages) newest.set(channel, ts);
  const changed = channels.flatMap(({ id }) => {
    const end = newest.get(id) ?? '0';
    const known = lastRead[id];
    if (id === here && known !== end) return [[id, end] as const];
    return known === undefined ? [[id, isFirstVisit ? end : '0'] as const] : [];
  });
  return changed.length === 0 ? lastRead : { ...lastRead, ...Object.fromEntries(changed) };
}

/** Replies count only where they were sent to the channel too. */
export function countUnread(lastRead: LastRead, messages: MessageEntry[], me: string) {
  const counts = new Map<string, number>();
  for (const { channel, ts, user, threadTs, isBroadcast } of messages) {
    const isReply = threadTs !== undefined && threadTs !== ts && !isBroadcast;
    if (isReply || user === me || ts <= (lastRead[channel] ?? '~')) continue;
    counts.set(channel, (counts.get(channel) ?? 0) + 1);
  }
  return counts;
}
