/** Returns the payload that Slack gets. JSON drops `undefined`. */
export const sent = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

/** Texts in which Slack would read a mention, wherever they stand in a payload. */
export function findMentions(payload: object): string[] {
  return JSON.stringify(payload).match(/<!(channel|here|everyone)[^>]*>/g) ?? [];
}

/** The text that Slack parses. It shows plain text and alt text exactly as they are. */
export function mrkdwnIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, text } = value as { type?: unknown; text?: unknown };
  if (type === 'mrkdwn' || type === 'markdown') return [String(text)];
  return Object.values(value).flatMap(mrkdwnIn);
}
