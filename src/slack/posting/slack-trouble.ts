import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { type SlackWriteKind, slackOutcomes, type WriteOutcome } from './slack-outcomes.ts';

/** Why a Web API call had no success: `refused` stays so, `later` may pass by itself. */
export type SlackTrouble =
  | { outcome: 'refused'; reason: string }
  | {
      outcome: 'later';
      reason: string;
      retryAfterMs: number;
      isUndone?: true;
      /** Logged once for all that wait: see `token-watch.ts`. */
      isQuiet?: true;
    };

const slackErrorCode = /^[a-z][a-z0-9_:.-]*$/;
export const rateLimited = 'ratelimited';

/** What to do about a refusal that the table does not know. */
const otherwise = { post: 'direct', update: 'shorter', reply: 'direct' } as const;

/** What becomes of a write that Slack has refused with this error. */
export function outcomeOf(kind: SlackWriteKind, reason: string): WriteOutcome {
  const known = outcomesOf(reason);
  return known && 'post' in known ? known[kind] : otherwise[kind];
}

const outcomesOf = (reason: string) =>
  Object.hasOwn(slackOutcomes, reason) ? slackOutcomes[reason] : undefined;

/** No whole answer came. Calls of the Web API wrap it in an error of their own, a `response_url` doesn't. */
export class SlackUnreachable extends Error {
  /** Bolt wraps errors without a code. */
  readonly code = 'slack_unreachable';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'SlackUnreachable';
  }
}

/** Whether an error comes from a Web API call, so that `readSlackTrouble` can say what it means. */
export const isSlackError = (error: unknown): boolean =>
  [WebAPIRateLimitedError, WebAPIPlatformError, WebAPIRequestError, WebAPIHTTPError].some(
    (kind) => error instanceof kind,
  );

/** @throws the error itself when it does not come from a Web API call */
export function readSlackTrouble(error: unknown): SlackTrouble {
  if (error instanceof WebAPIRateLimitedError) {
    const retryAfterMs = error.retryAfter * 1000;
    return { outcome: 'later', reason: rateLimited, retryAfterMs, isUndone: true };
  }
  if (error instanceof WebAPIPlatformError) {
    const reason = error.data.error;
    // The client puts whatever is no JSON there, such as the page of a proxy: Slack itself has said nothing.
    if (!slackErrorCode.test(reason))
      return { outcome: 'later', reason: 'no_slack_answer', retryAfterMs: 1_000 };
    const known = outcomesOf(reason);
    if (!known || !('waitMs' in known)) return { outcome: 'refused', reason };
    const later = { outcome: 'later', reason, retryAfterMs: known.waitMs } as const;
    // Whom it does not let in, Slack does nothing for.
    return known.isAdmins ? { ...later, isUndone: true, isQuiet: true } : later;
  }
  if (error instanceof WebAPIRequestError || error instanceof WebAPIHTTPError) {
    return { outcome: 'later', reason: error.code, retryAfterMs: 0 };
  }
  throw error;
}
