import type { MessageEntry } from '../../page-entry.ts';

/** What a channel itself shows: no replies, unless they were also sent to the channel. */
export function channelMessages(messages: MessageEntry[], channel: string): MessageEntry[] {
  return messages.filter(
    (message) =>
      message.channel === channel &&
      (message.threadTs === undefined || message.threadTs === message.ts || message.isBroadcast),
  );
}
