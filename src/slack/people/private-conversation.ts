type Fields = Partial<Record<string, unknown>>;

/** Slack's type of private channels and group direct messages. */
const privateName = 'privategroup';
/** Subtype of the message in a channel that someone made private. */
const becamePrivate = 'channel_convert_to_private';
const privateTypes: readonly unknown[] = ['G', 'group', 'mpim'];

/**
 * Returns the conversation of a delivery that names it as private. No event reports that a channel became private. A
 * zod schema would take longer than the rest of a delivery.
 */
export function privateConversationIn(body: Fields): string | undefined {
  if (body['channel_name'] === privateName) return textOf(body['channel_id']);
  const channel = fieldsOf(body['channel']);
  if (channel['name'] === privateName) return textOf(channel['id']);
  const event = fieldsOf(body['event']);
  return privateTypes.includes(event['channel_type']) ? textOf(event['channel']) : undefined;
}

/** Returns the conversation if this is Slack's message that someone made it private. */
export function conversationMadePrivate(body: unknown): string | undefined {
  const event = fieldsOf(fieldsOf(body)['event']);
  return event['subtype'] === becamePrivate ? textOf(event['channel']) : undefined;
}

const fieldsOf = (value: unknown): Fields => Object(value) as Fields;
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
