/** Which messages in threads may be for a run: read from events that mostly have nothing to do with this app. */
import { z } from 'zod';
import { slackMessageSchema } from '../text/message-text.ts';

export type ReplyPlace = { channelId: string; threadTs: string; ts: string };

export const replySchema = z.object({
  teamId: z.string(),
  channelId: z.string(),
  threadTs: z.string(),
  userId: z.string(),
  message: slackMessageSchema,
  /** The run that may have received it already. */
  sentTo: z.string().optional(),
  /** It was deleted, or edited so that it's for others. */
  isWithdrawn: z.boolean().optional(),
});
export type Reply = z.infer<typeof replySchema>;

export const placeOf = ({ channelId, threadTs, message: { ts } }: Reply): ReplyPlace => ({
  ...{ channelId, threadTs, ts },
});

/** `edited` has no message if that's no longer for a run. */
export type ReplyEvent =
  | { kind: 'written'; reply: Omit<Reply, 'teamId'> }
  | { kind: 'edited'; place: ReplyPlace; message: Reply['message'] | undefined };

const messageSchema = slackMessageSchema.extend({
  edited: z.looseObject({ ts: z.string() }).optional(),
});
const eventSchema = messageSchema.extend({
  channel: z.string(),
  hidden: z.boolean().optional(),
  message: messageSchema.optional(),
  previous_message: messageSchema.optional(),
});

type Fields = Partial<Record<string, unknown>>;

/** What people write. A `thread_broadcast` is a reply that's also sent to the channel. */
const written: readonly unknown[] = [undefined, 'file_share', 'thread_broadcast'];
const editableForSeconds = 60;

/** Undefined for everything but people's replies, their edits of the last minute, and their deletions. */
export function readReplyEvent(body: unknown, botUserId: string): ReplyEvent | undefined {
  const { event } = Object(body) as Fields;
  const raw = Object(event) as Fields;
  // No schema for most: it would take longer than everything else.
  const about = Object(raw['message'] ?? raw['previous_message'] ?? raw) as Fields;
  const { thread_ts: threadTs, ts, user, bot_id: botId } = about;
  if (typeof threadTs !== 'string' || threadTs === ts || !user || botId || user === botUserId)
    return undefined;
  const { data } = eventSchema.safeParse(event);
  if (!data) return undefined;
  const { subtype, channel, message, previous_message: before } = data;
  if (subtype === 'message_deleted' && before) {
    const place = { channelId: channel, threadTs, ts: before.ts };
    return { kind: 'edited', place, message: undefined };
  }
  if (subtype === 'message_changed' && message && before) {
    const { edited, ...edit } = message;
    // Slack itself changes messages, to add previews for example.
    const isEdit = edited && edit.text !== before.text;
    if (!isEdit || Number(edited.ts) - Number(edit.ts) > editableForSeconds) return undefined;
    const place = { channelId: channel, threadTs, ts: edit.ts };
    return {
      kind: 'edited',
      place,
      message: isForRun(channel, edit, botUserId) ? edit : undefined,
    };
  }
  const isNew = written.includes(subtype) && !data.hidden && !data.edited;
  if (!isNew || typeof user !== 'string' || !isForRun(channel, data, botUserId)) return undefined;
  const reply = { channelId: channel, threadTs, userId: user };
  return { kind: 'written', reply: { ...reply, message: slackMessageSchema.parse(data) } };
}

/** People, user groups, and everyone in a conversation. */
const mention = /<(?:@|!subteam|!here|!channel|!everyone)/;

/** What names other people is for them, unless it names the app too. */
function isForRun(channelId: string, { text }: Reply['message'], botUserId: string): boolean {
  if (channelId.startsWith('D') || !mention.test(text ?? '')) return true;
  return (text ?? '').includes(`<@${botUserId}`);
}
