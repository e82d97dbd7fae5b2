/**
 * What names a message that a person writes to a run. Slack sends a mention as two events with ids of their own, and
 * repeats each for minutes. Meanwhile the thread may have become a run's, so that the mention looks like a reply.
 */
type Place = { channelId: string; threadTs?: string | undefined; ts: string };

/** Mentions and replies share their keys: a message is stored as only one of them. */
export const messageKeys = 'message';

/** What the keys of all messages in a thread start with. They sort by time: Slack's timestamps have the same length. */
export const threadKey = (channelId: string, threadTs: string): string =>
  `${channelId} ${threadTs} `;

export const messageKey = ({ channelId, threadTs, ts }: Place): string =>
  threadKey(channelId, threadTs ?? ts) + ts;

type Written = { teamId: string; channelId: string; message: { ts: string } };

/** For the request that a message starts, and for sending it. The same however often the message is handled. */
export const requestIdOf = ({ teamId, channelId, message }: Written): string =>
  `${teamId}-${channelId}-${message.ts}`;
