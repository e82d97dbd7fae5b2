import { parseJson } from 'base/parse-json';
import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import { z } from 'zod';

/** What the API says about a request it refuses. */
const statusSchema = z.object({
  message: z.string().default(''),
  reason: z.string().default(''),
});

const shownCharacters = 600;

/** The API refused a request, or it couldn't be reached: then `status` is 0. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number;

  constructor(
    message: string,
    { status = 0, reason = '', retryAfterMs = 0 }: Partial<ApiProblem> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** The same request can succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export function refusal(status: number, body: string, retryAfter: string | undefined): ApiProblem {
  const read = statusSchema.safeParse(parseJson(body));
  const { message, reason } = read.success ? read.data : { message: body, reason: '' };
  const words = shownWords(message === '' ? `HTTP ${status}` : message);
  return new ApiProblem(words, {
    status,
    reason,
    retryAfterMs: Math.min(60, Number(retryAfter) || 0) * 1_000,
  });
}

/** The cluster's words, for people. */
export const shownWords = (text: string) => shorten(readableLine(text), shownCharacters);
