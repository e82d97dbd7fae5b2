import type { Answer } from './agent-tools.ts';
import type { Asked } from './script.ts';

/** Token counts of every answer. */
export const usage = { input: 100, output: 10 };

/** Event of a stream: a line `data:`, and a line `event:` if it has a type. */
export type StreamEvent = { event?: string; data: unknown };

/** Protocol of one kind of model API. */
export type Protocol = {
  /** Pattern of the path, from `/v1…` on. */
  path: RegExp;
  read(body: unknown, path: string): Asked;
  /** Returns the answer as the events of a stream. */
  stream(answer: Answer, model: string): StreamEvent[];
  /** Returns the whole answer, for requests without a stream. */
  whole(answer: Answer, model: string): object;
  /** Describes a failure. `waitSeconds` is the wait of a rate limit, for protocols with it in the body. */
  failure(status: number, waitSeconds?: number): object;
};

/** Returns the message of a failure. */
export const failureText = (status: number) =>
  ({ 401: 'Invalid API key', 429: 'Rate limit reached', 529: 'Overloaded' })[status] ??
  'Internal server error';

/** Collects all texts of a message. Protocols nest them differently. */
export function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  const { text, content, parts, output, functionResponse, response } = value as Record<
    string,
    unknown
  >;
  return [text, content, parts, output, functionResponse, response]
    .map(textIn)
    .filter(Boolean)
    .join('\n');
}
