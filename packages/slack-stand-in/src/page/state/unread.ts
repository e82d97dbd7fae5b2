import type { ChannelEntry, MessageEntry } from '../../page-server/page-entry.ts';

/** Time of the last message that the person has seen, by channel ID. */
export type LastRead = Record<string, string>;

type Seen = { messages: MessageEntry[]; channels: ChannelEntry[]; here: string | undefined };

/**
 * Marks the open channel as read. On the first visit, marks all channels as read. Channels that appear later are
 * unread.
 */
export function readUpTo(lastRead: LastRead, { messages, channels, here }: Seen): LastRead {
  const isFirstVisit = Object.keys(lastRead).length === 0;
  const newest = new Map<string, string>();
  for (const { channel, ts } of messages) newest.set(channel, ts);
  const changed = channels.flatMap(({ id }) => {
    const end = newest.get(id) ?? '0';
    const readTs = lastRead[id];
    if (id === here && readTs !== end) return [[id, end] as const];
    return readTs === undefined ? [[id, isFirstVisit ? end : '0'] as const] : [];
  });
  return changed.length === 0 ? lastRead : { ...lastRead, ...Object.fromEntries(changed) };
}

/** Counts unread messages by channel. Replies are included only if they were also sent to the channel. */
export function countUnread(lastRead: LastRead, messages: MessageEntry[], me: string) {
  const counts = new Map<string, number>();
  for (const { channel, ts, user, threadTs, isBroadcast } of messages) {
    const isReply = threadTs !== undefined && threadTs !== ts && !isBroadcast;
    if (isReply || user === me || ts <= (lastRead[channel] ?? '~')) continue;
    counts.set(channel, (counts.get(channel) ?? 0) + 1);
  }
  return counts;
}
