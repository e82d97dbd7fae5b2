/** Where a person's answer goes so that nobody else reads it. */

/** Where someone acted. `ts`: their message, or the one that they clicked. */
export type ActedAt = {
  channelId: string;
  threadTs?: string | undefined;
  ts?: string | undefined;
};

/**
 * Whether only one person reads a conversation. Ephemeral messages don't last in direct messages with an agent, and show
 * only while their thread is open. See docs/decisions/076-answers-in-direct-messages-last.md.
 */
export const isDirect = (channelId: string): boolean => channelId.startsWith('D');

/** The place of an ordinary message below what it answers, for direct messages. Slack's surface for agents lists threads. */
export const belowIt = ({ channelId: channel, threadTs, ts }: ActedAt) => {
  const thread = threadTs ?? ts;
  return { channel, ...(thread && { thread_ts: thread }) };
};
