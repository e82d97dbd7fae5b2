import type { MessageEntry } from '../../page-server/page-entry.ts';

/** The messages of a channel, without replies that weren't also sent to the channel. */
export function channelMessages(messages: MessageEntry[], channel: string): MessageEntry[] {
  return messages.filter(
    (message) =>
      message.channel === channel &&
      (message.threadTs === undefined || message.threadTs === message.ts || message.isBroadcast),
  );
}
