import type { Reply, ReplyPlace } from './read-reply.ts';

type Thread = Pick<Reply, 'channelId' | 'threadTs'>;

/** What the keys of all replies in a thread start with. They sort by time: Slack's timestamps have the same length. */
export const threadKey = ({ channelId, threadTs }: Thread): string => `${channelId} ${threadTs} `;

/** Names the message, not the event, so that an edit finds it. */
export const keyOf = (place: ReplyPlace): string => threadKey(place) + place.ts;
