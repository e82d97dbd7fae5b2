type Fields = Partial<Record<string, unknown>>;

/** Slack's type of private channels and group direct messages. */
const privateName = 'privategroup';
/** Subtype of the message in a channel that someone made private. */
const becamePrivate = 'channel_convert_to_private';
const privateTypes: readonly unknown[] = ['G', 'group', 'mpim'];

/**
 * Returns the ID of the conversation if a delivery names it as private. Every delivery is read, because no event
 * reports that a channel became private. Doesn't use zod, because parsing would take longer than handling the rest of a
 * delivery.
 */
export function privateConversationIn(body: Fields): string | undefined {
  if (body['channel_name'] === privateName) return textOf(body['channel_id']);
  const channel = fieldsOf(body['channel']);
  if (channel['name'] === privateName) return textOf(channel['id']);
  const event = fieldsOf(body['event']);
  return privateTypes.includes(event['channel_type']) ? textOf(event['channel']) : undefined;
}

/** Returns the conversation's ID if the event is Slack's message that someone made it private. */
export function conversationMadePrivate(body: unknown): string | undefined {
  const event = fieldsOf(fieldsOf(body)['event']);
  return event['subtype'] === becamePrivate ? textOf(event['channel']) : undefined;
}

const fieldsOf = (value: unknown): Fields => Object(value) as Fields;
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
