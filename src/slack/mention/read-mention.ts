/** Reads mentions of the app and direct messages to it from Slack events. */
import { z } from 'zod';
import { readEdit } from '../runs/reading/read-edit.ts';
import { readThreadTs, type SlackMessage, slackMessageSchema } from '../text/message-text.ts';

const eventSchema = slackMessageSchema.extend({
  type: z.enum(['app_mention', 'message']),
  channel: z.string(),
  channel_type: z.string().optional(),
  edited: z.unknown().optional(),
  hidden: z.boolean().optional(),
  app_context: z.unknown().optional(),
});

const deliverySchema = z.looseObject({
  type: z.literal('event_callback'),
  team_id: z.string(),
  event: eventSchema,
});

export const mentionSchema = z.object({
  teamId: z.string(),
  channelId: z.string(),
  userId: z.string(),
  threadTs: z.string().optional(),
  /** ID of the channel that the author of a direct message looks at. Undefined if Slack doesn't send it. */
  inView: z.string().optional(),
  message: slackMessageSchema,
  /** ID of the request whose run gets the message. Set before it's sent. */
  sentTo: z.string().optional(),
  /** True if the message was deleted, or no longer mentions the app. */
  isWithdrawn: z.boolean().optional(),
  /** Slack timestamp of the last edit or deletion. */
  changedTs: z.string().optional(),
});
export type Mention = z.infer<typeof mentionSchema>;

const entitySchema = z.object({ type: z.string(), value: z.unknown() });
const contextSchema = z.object({ entities: z.array(entitySchema) });
const channelEntity = z.object({
  type: z.literal('slack#/types/channel_id'),
  value: z.string().regex(/^[CG]\w+$/),
});

/** Returns the most relevant channel on screen: https://docs.slack.dev/reference/events/app_context_changed */
function channelInView(appContext: unknown): string | undefined {
  const { entities = [] } = contextSchema.safeParse(appContext).data ?? {};
  return entities.map((each) => channelEntity.safeParse(each).data?.value).find(Boolean);
}

/** Subtypes of messages that people write. `file_share` is a message with a file. */
const written = new Set([undefined, 'file_share']);

/**
 * Reads a mention. Returns undefined for edited and deleted messages, bots, and channel messages without a mention.
 * @param botUserId the app's user, which a channel message must mention
 */
export function readMention(body: unknown, botUserId: string): Mention | undefined {
  const { data } = deliverySchema.safeParse(body);
  if (!data) return undefined;
  const { event, team_id: teamId } = data;
  const { user, channel: channelId } = event;
  const threadTs = readThreadTs(event);
  const isOurs = user === botUserId || !user || Boolean(event.bot_id);
  if (isOurs || event.edited || event.hidden || !written.has(event.subtype)) return undefined;
  const isDirect = event.channel_type === 'im' || channelId.startsWith('D');
  // Use only `message` for direct messages, because Slack sends both events if one mentions the app.
  if (isDirect !== (event.type === 'message')) return undefined;
  if (!isDirect && !(event.text ?? '').includes(`<@${botUserId}`)) return undefined;
  const message = slackMessageSchema.parse(event);
  const inView = isDirect ? channelInView(event.app_context) : undefined;
  const place = { channelId, ...(threadTs && { threadTs }), ...(inView && { inView }) };
  return { teamId, userId: user, message, ...place };
}

/**
 * Reads a mention after an edit or a deletion. Returns undefined for other events, and if the message wasn't a mention.
 */
export function readEditedMention(body: unknown, botUserId: string): Mention | undefined {
  const edit = readEdit(Object(body).event);
  if (!edit) return undefined;
  const { channel, channelType: channel_type, before, after, changedTs } = edit;
  const isDirect = channel_type === 'im' || channel.startsWith('D');
  const type = isDirect ? 'message' : 'app_mention';
  const read = (message: SlackMessage) =>
    readMention({ ...Object(body), event: { ...message, type, channel, channel_type } }, botUserId);
  const was = read(before);
  const now = after && read(after);
  return was && { ...was, ...now, isWithdrawn: !now, changedTs };
}
