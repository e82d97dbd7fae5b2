/** Reads replies from events. Most events have nothing to do with this app. */
import { z } from 'zod';
import { type MessageEdit, readEdit } from '../runs/reading/read-edit.ts';
import { readThreadTs, slackMessageSchema } from '../text/message-text.ts';

export type ReplyPlace = { channelId: string; threadTs: string; ts: string };

export const replySchema = z.object({
  teamId: z.string(),
  channelId: z.string(),
  threadTs: z.string(),
  userId: z.string(),
  message: slackMessageSchema,
  /** ID of the run that may have received the reply already. */
  sentTo: z.string().optional(),
  /** True if the reply was deleted, or edited so that it's for other people. */
  isWithdrawn: z.boolean().optional(),
  /** Time of the last edit or deletion, by Slack's clock. */
  changedTs: z.string().optional(),
});
export type Reply = z.infer<typeof replySchema>;

export const placeOf = ({ channelId, threadTs, message: { ts } }: Reply): ReplyPlace => ({
  channelId,
  threadTs,
  ts,
});

/** Event about a reply. `wasForRun` is true if the reply was for the run before its edit or deletion. */
type ReplyEvent = {
  kind: 'written' | 'edited';
  reply: Omit<Reply, 'teamId'>;
  wasForRun: boolean;
};

const eventSchema = slackMessageSchema.extend({
  channel: z.string(),
  hidden: z.boolean().optional(),
  edited: z.unknown().optional(),
});

type Fields = Partial<Record<string, unknown>>;

/** Subtypes of messages that people write. A `thread_broadcast` is a reply that's also sent to the channel. */
const written: readonly unknown[] = [undefined, 'file_share', 'thread_broadcast'];

/**
 * Reads the event of a new reply, of its edit within a minute, or of its deletion. Returns undefined for everything
 * else.
 */
export function readReplyEvent(body: unknown, botUserId: string): ReplyEvent | undefined {
  const { event } = Object(body) as Fields;
  const raw = Object(event) as Fields;
  // Don't use zod yet, because most events aren't replies, and parsing them would dominate the cost.
  const message = Object(raw['message'] ?? raw['previous_message'] ?? raw) as Fields;
  const { user, bot_id: botId } = message;
  const threadTs = readThreadTs(message);
  if (threadTs === undefined || botId) return undefined;
  if (typeof user !== 'string' || user === '' || user === botUserId) return undefined;
  const edit = readEdit(event);
  if (edit) return readEditedReply(edit, { threadTs, userId: user }, botUserId);
  const { data } = eventSchema.safeParse(event);
  if (!data) return undefined;
  const { subtype, channel } = data;
  const isNew = written.includes(subtype) && !data.hidden && !data.edited;
  if (!isNew || !isAddressedToRun(channel, data, botUserId)) return undefined;
  const reply = {
    channelId: channel,
    threadTs,
    userId: user,
    message: slackMessageSchema.parse(data),
  };
  return { kind: 'written', reply, wasForRun: true };
}

function readEditedReply(
  { channel, before, after, changedTs }: MessageEdit,
  by: Pick<Reply, 'threadTs' | 'userId'>,
  botUserId: string,
): ReplyEvent {
  const now = after && isAddressedToRun(channel, after, botUserId) ? after : undefined;
  const message = now ?? { ts: before.ts };
  return {
    kind: 'edited',
    wasForRun: isAddressedToRun(channel, before, botUserId),
    reply: { ...by, channelId: channel, message, isWithdrawn: !now, changedTs },
  };
}

/** Matches mentions of people, user groups, and everyone in a conversation. */
const mention = /<(?:@|!subteam|!here|!channel|!everyone)/;

/** Returns false for a reply that mentions other people but not the app, because it's for them. */
function isAddressedToRun(
  channelId: string,
  { text }: Reply['message'],
  botUserId: string,
): boolean {
  if (channelId.startsWith('D') || !mention.test(text ?? '')) return true;
  return (text ?? '').includes(`<@${botUserId}`);
}
