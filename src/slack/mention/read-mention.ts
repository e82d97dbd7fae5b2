/** Which of Slack's events ask for a run: somebody mentions the app, or writes to it directly. */
import { z } from 'zod';
import { slackMessageSchema } from '../text/message-text.ts';

const eventSchema = slackMessageSchema.extend({
  type: z.enum(['app_mention', 'message']),
  channel: z.string(),
  channel_type: z.string().optional(),
  edited: z.unknown().optional(),
  hidden: z.boolean().optional(),
});

const deliverySchema = z.looseObject({
  type: z.literal('event_callback'),
  event_id: z.string(),
  team_id: z.string(),
  event: eventSchema,
});

export const mentionSchema = z.object({
  eventId: z.string(),
  teamId: z.string(),
  channelId: z.string(),
  userId: z.string(),
  threadTs: z.string().optional(),
  message: slackMessageSchema,
});
export type Mention = z.infer<typeof mentionSchema>;

/** A file alone or with words is a message of a person like any other; every other subtype is not. */
const spoken = new Set([undefined, 'file_share']);

/**
 * Undefined for everything that starts nothing: edited and deleted messages, bots, channel messages without a mention.
 * @param botUserId a message that does not name this user is no mention, whatever Slack calls it
 */
export function readMention(body: unknown, botUserId: string): Mention | undefined {
  const { data } = deliverySchema.safeParse(body);
  if (!data) return undefined;
  const { event, event_id: eventId, team_id: teamId } = data;
  const { user, channel: channelId, thread_ts: threadTs } = event;
  const isOurs = user === botUserId || !user || Boolean(event.bot_id);
  if (isOurs || event.edited || event.hidden || !spoken.has(event.subtype)) return undefined;
  const isDirect = event.channel_type === 'im' || channelId.startsWith('D');
  // A direct message that names the app comes as both; it counts once.
  if (isDirect !== (event.type === 'message')) return undefined;
  if (!isDirect && !(event.text ?? '').includes(`<@${botUserId}`)) return undefined;
  const message = slackMessageSchema.parse(event);
  return { eventId, teamId, channelId, userId: user, message, ...(threadTs && { threadTs }) };
}

/** The text without the names of the app. */
export function withoutMention(text: string, botUserId: string): string {
  return text.replace(new RegExp(`<@${botUserId}(\\|[^<>]*)?>[:,]?`, 'g'), ' ').trim();
}
