/** Reads edits and deletions of messages. */
import { z } from 'zod';
import { type SlackMessage, slackMessageSchema } from '../../text/message-text.ts';

/** Message before and after an edit. `after` is undefined if it was deleted. `changedTs` is by Slack's clock. */
export type MessageEdit = {
  channel: string;
  channelType: string | undefined;
  before: SlackMessage;
  after: SlackMessage | undefined;
  changedTs: string;
};

const messageSchema = slackMessageSchema.extend({
  edited: z.looseObject({ ts: z.string() }).optional(),
});
const editSchema = z.object({
  subtype: z.enum(['message_changed', 'message_deleted']),
  channel: z.string(),
  channel_type: z.string().optional(),
  ts: z.string(),
  message: messageSchema.optional(),
  previous_message: messageSchema,
});
const subtypes: readonly unknown[] = editSchema.shape.subtype.options;

const editableForSeconds = 60;

/** Reads a deletion, or an edit within a minute. Returns undefined for everything else. */
export function readEdit(event: unknown): MessageEdit | undefined {
  // Check the subtype first. Parsing every event with zod would dominate the cost.
  if (!subtypes.includes(Object(event).subtype)) return undefined;
  const { data } = editSchema.safeParse(event);
  if (!data) return undefined;
  const { subtype, channel, channel_type: channelType } = data;
  // Leave out `edited`, which is the time of an earlier edit.
  const { edited: _, ...before } = data.previous_message;
  const about = { channel, channelType, before, changedTs: data.ts };
  if (subtype === 'message_deleted') return { ...about, after: undefined };
  const { edited, ...after } = data.message ?? data.previous_message;
  // Ignore changes by Slack itself, such as added previews.
  const isEdit = edited && after.text !== before.text;
  if (!isEdit || Number(edited.ts) - Number(after.ts) > editableForSeconds) return undefined;
  return { ...about, after };
}
