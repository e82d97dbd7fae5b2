import { parseJson } from 'base/parse-json';

/** A message can be JSON with another message in it. */
const maxDepth = 4;

const opencodeLog = /^timestamp=\S+ level=ERROR .*? error(?:\.error)?=("(?:\\.|[^"\\])*")/;

/** Replaces JSON in a text with the message that it contains, as in `[API Error: {"error":{"message":"…"}}]`. */
export function messageIn(text: string, depth = maxDepth): string {
  const [, logged] = opencodeLog.exec(text) ?? [];
  if (logged !== undefined) return messageOf(parseJson(logged)) ?? text;
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}') + 1;
  if (depth === 0 || from < 0 || to <= from) return text;
  const message = messageOf(parseJson(text.slice(from, to)));
  if (message === undefined) return text;
  return text.slice(0, from) + messageIn(message, depth - 1) + text.slice(to);
}

function messageOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of ['error', 'message', 'detail']) {
    const message = messageOf(Reflect.get(value, name));
    if (message !== undefined && message !== '') return message;
  }
  return undefined;
}
