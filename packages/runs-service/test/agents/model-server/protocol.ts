import type { Answer } from './agent-tools.ts';
import type { Asked } from './script.ts';

/** Tokens of every answer. */
export const usage = { input: 100, output: 10 };

/** A line `data:` of a stream of events; `event:` too if it has a type. */
export type StreamEvent = { event?: string; data: unknown };

/** Protocol of one kind of model API. */
export type Protocol = {
  /** Pattern of the path, without the part before `/v1…`. */
  path: RegExp;
  read(body: unknown, path: string): Asked;
  /** Undefined if the request wants no stream. */
  stream(answer: Answer, model: string): StreamEvent[];
  /** The whole answer, for requests without a stream. */
  whole(answer: Answer, model: string): object;
  /** `waitSeconds`: how long a rate limit lasts, if the body says so. */
  failure(status: number, waitSeconds?: number): object;
};

/** The message that each of our failures has. */
export const failureText = (status: number) =>
  ({ 401: 'Invalid API key', 429: 'Rate limit reached', 529: 'Overloaded' })[status] ??
  'Internal server error';

/** All texts in what protocols nest differently. */
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
