type Fields = Partial<Record<string, unknown>>;

/** How Slack calls private channels and group direct messages, whatever their name is. */
const privateName = 'privategroup';
/** Subtype of the message in a channel that someone made private. */
const becamePrivate = 'channel_convert_to_private';
const privateTypes: readonly unknown[] = ['G', 'group', 'mpim'];

/**
 * The conversation of a delivery, if the delivery says that it's private: Slack reports with no event of its own that a
 * channel became private. No schema: it would take longer than the rest of a delivery.
 */
export function privateConversationIn(body: Fields): string | undefined {
  if (body['channel_name'] === privateName) return textOf(body['channel_id']);
  const channel = fieldsOf(body['channel']);
  if (channel['name'] === privateName) return textOf(channel['id']);
  const event = fieldsOf(body['event']);
  return privateTypes.includes(event['channel_type']) ? textOf(event['channel']) : undefined;
}

/** The conversation of a message that says that someone made it private. */
export function conversationMadePrivate(body: unknown): string | undefined {
  const event = fieldsOf(fieldsOf(body)['event']);
  return event['subtype'] === becamePrivate ? textOf(event['channel']) : undefined;
}

const fieldsOf = (value: unknown): Fields => Object(value) as Fields;
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
