/** Where a person's answer goes so that nobody else reads it. */

/** Where someone acted. `ts`: their message, or the one that they clicked. */
export type ActedAt = {
  channelId: string;
  threadTs?: string | undefined;
  ts?: string | undefined;
};

/**
 * True if only one person reads a conversation. Answers there are ordinary messages in the thread of the message they
 * answer, because Slack doesn't keep ephemeral ones and shows them only while the thread is open. Commands keep ephemeral
 * answers: they can be typed in a conversation of two people. In channels, answers stay ephemeral.
 */
export const isDirect = (channelId: string): boolean => channelId.startsWith('D');

/** The place of an ordinary message below what it answers, for direct messages. Slack's surface for agents lists threads. */
export const belowIt = ({ channelId: channel, threadTs, ts }: ActedAt) => {
  const thread = threadTs ?? ts;
  return { channel, ...(thread && { thread_ts: thread }) };
};
