/** Returns the payload that Slack gets. JSON drops `undefined`. */
export const sent = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

/** Finds the mentions that Slack would read, anywhere in a payload. */
export function findMentions(payload: object): string[] {
  return JSON.stringify(payload).match(/<!(channel|here|everyone)[^>]*>/g) ?? [];
}

/** Collects the texts that Slack parses. Plain text and alt text are shown unchanged. */
export function mrkdwnIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, text } = value as { type?: unknown; text?: unknown };
  if (type === 'mrkdwn' || type === 'markdown') return [String(text)];
  return Object.values(value).flatMap(mrkdwnIn);
}
