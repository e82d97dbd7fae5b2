/** Which events ask for a run: mentions of the app and direct messages to it. */
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
  /** The channel that the author of a direct message looks at, if Slack says so. */
  inView: z.string().optional(),
  message: slackMessageSchema,
  /** The request with the run that it's sent to, once it may have been. */
  sentTo: z.string().optional(),
  /** Set if the message was deleted, or edited so that it doesn't name the app. */
  isWithdrawn: z.boolean().optional(),
  /** When it was last edited or deleted, by Slack's clock. */
  changedTs: z.string().optional(),
});
export type Mention = z.infer<typeof mentionSchema>;

const entitySchema = z.object({ type: z.string(), value: z.unknown() });
const contextSchema = z.object({ entities: z.array(entitySchema) });
const channelEntity = z.object({
  type: z.literal('slack#/types/channel_id'),
  value: z.string().regex(/^[CG]\w+$/),
});

/** Channels that a person looks at, most relevant first: https://docs.slack.dev/reference/events/app_context_changed */
function channelInView(appContext: unknown): string | undefined {
  const { entities = [] } = contextSchema.safeParse(appContext).data ?? {};
  return entities.map((each) => channelEntity.safeParse(each).data?.value).find(Boolean);
}

/** Subtypes of messages that people write. A `file_share` is a message with a file. */
const written = new Set([undefined, 'file_share']);

/**
 * Undefined for what starts nothing: edited and deleted messages, bots, channel messages without a mention.
 * @param botUserId messages that don't name this user are no mentions, even if Slack says so
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
  // Slack sends both events for a direct message that names the app.
  if (isDirect !== (event.type === 'message')) return undefined;
  if (!isDirect && !(event.text ?? '').includes(`<@${botUserId}`)) return undefined;
  const message = slackMessageSchema.parse(event);
  const inView = isDirect ? channelInView(event.app_context) : undefined;
  const place = { channelId, ...(threadTs && { threadTs }), ...(inView && { inView }) };
  return { teamId, userId: user, message, ...place };
}

/** A mention as it is after an edit or a deletion. Undefined for what wasn't a mention, and for all other events. */
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
