/** Reads the events that can fire automations. Almost all messages fire none, so cheap checks come first. */
import { z } from 'zod';
import type { Trigger } from '../../automations/automation.ts';
import { emojiName } from '../../automations/emoji.ts';
import { matchesGlob } from '../../automations/glob.ts';
import { messageText, type SlackMessage, slackMessageSchema } from '../text/message-text.ts';

/** IDs of the app's own bot, whose messages and reactions fire nothing. */
export type OwnIds = { botUserId: string; botId: string };

/** A message that can fire automations. `by` is the ID of its author: the bot (`B…`), or else the person. */
export type FiringMessage = { channelId: string; by: string; message: SlackMessage };

type Fields = Partial<Record<string, unknown>>;

/** Subtypes of new messages of people and bots. Others are edits, deletions, replies, and notes such as "joined". */
const written: readonly unknown[] = [undefined, 'file_share', 'bot_message'];

/** Reads a new message in a channel. Returns undefined for replies, for the app's own, and for those that mention it. */
export function readFiringMessage(body: unknown, own: OwnIds): FiringMessage | undefined {
  const { event } = Object(body) as Fields;
  const raw = Object(event) as Fields;
  if (raw['type'] !== 'message' || !written.includes(raw['subtype'])) return undefined;
  if (raw['thread_ts'] !== undefined || raw['hidden'] || raw['edited']) return undefined;
  const channelId = raw['channel'];
  // Direct messages with the app start runs anyway.
  if (typeof channelId !== 'string' || raw['channel_type'] === 'im') return undefined;
  const { data: message } = slackMessageSchema.safeParse(raw);
  const by = message && authorOf(message, own);
  return by ? { channelId, by, message } : undefined;
}

/** Returns the author of a message that can fire automations. Undefined for the app's own, and for those that mention it. */
function authorOf(message: SlackMessage, { botUserId, botId }: OwnIds): string | undefined {
  const { user, bot_id: bot, text } = message;
  if (user === botUserId || bot === botId || text?.includes(`<@${botUserId}`)) return undefined;
  return bot || user || undefined;
}

/** Returns true for the ID of a bot, and false for that of a person. */
export const isBotId = (id: string): boolean => id.startsWith('B');

type MessageTrigger = Extract<Trigger, { kind: 'message' }>;

/** Returns true if a message is for this trigger. Doesn't check if its author can start runs. */
export function isForTrigger(
  { text, people, bots, onlyBots }: MessageTrigger,
  by: string,
  message: SlackMessage,
): boolean {
  const isByListed = isBotId(by)
    ? bots.includes(by)
    : !onlyBots && (people.length === 0 || people.includes(by));
  return isByListed && matchesGlob(`*${text}*`, messageText(message));
}

const reactionSchema = z.object({
  type: z.literal('reaction_added'),
  user: z.string().min(1),
  reaction: z.string().min(1),
  item: z.object({ type: z.literal('message'), channel: z.string(), ts: z.string() }),
});

/** A reaction to a message. The emoji has no skin tone. */
export type FiringReaction = { channelId: string; ts: string; by: string; emoji: string };

export function readFiringReaction(body: unknown, own: OwnIds): FiringReaction | undefined {
  const { event } = Object(body) as Fields;
  const { data } = reactionSchema.safeParse(event);
  if (!data || data.user === own.botUserId) return undefined;
  const [emoji = ''] = data.reaction.split('::');
  return { channelId: data.item.channel, ts: data.item.ts, by: data.user, emoji: emojiName(emoji) };
}
