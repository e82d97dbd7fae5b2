import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import type { Later, Refused } from '../../outbox/outcomes.ts';
import { outcomeOfError, type WriteOutcome } from './slack-outcomes.ts';

/** Why a Web API call failed. */
export type SlackFailure = Refused | Later;

const slackErrorCode = /^[a-z][a-z0-9_:.-]*$/;
export const rateLimited = 'ratelimited';

const missingScope = 'missing_scope';

/** Slack also calls `chat:write` by an older name that no app can ask for. */
const postScopes = ['chat:write', 'chat:write:bot'];

/** Without any other scope, the app works with less. Slack names those of which the call needs one. */
function isOptional(answer: { error: string; needed?: unknown }): boolean {
  if (answer.error !== missingScope || typeof answer.needed !== 'string') return false;
  return !answer.needed.split(',').some((scope) => postScopes.includes(scope));
}

/** What happens to a write that Slack rejected with this error. */
export function outcomeOf(kind: 'post' | 'update', reason: string): WriteOutcome {
  const known = outcomeOfError(reason);
  const outcome = typeof known === 'string' ? known : 'shorter';
  return kind === 'update' || outcome === 'shorter' ? outcome : 'direct';
}

/** There was no complete answer. Web API calls wrap this error, calls of a `response_url` don't. */
export class SlackUnreachable extends Error {
  /** Bolt wraps errors without a code. */
  readonly code = 'slack_unreachable';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'SlackUnreachable';
  }
}

/** Whether an error comes from a Web API call, so that `readSlackFailure` can read it. */
export const isSlackError = (error: unknown): boolean =>
  [WebAPIRateLimitedError, WebAPIPlatformError, WebAPIRequestError, WebAPIHTTPError].some(
    (kind) => error instanceof kind,
  );

/** @throws the error itself if it doesn't come from a Web API call */
export function readSlackFailure(error: unknown): SlackFailure {
  if (error instanceof WebAPIRateLimitedError) {
    const retryAfterMs = error.retryAfter * 1000;
    return { outcome: 'later', reason: rateLimited, retryAfterMs, isUndone: true };
  }
  if (error instanceof WebAPIPlatformError) {
    const reason = error.data.error;
    // If the answer isn't JSON, such as a proxy's page, the client puts its text here.
    if (!slackErrorCode.test(reason))
      return { outcome: 'later', reason: 'no_slack_answer', retryAfterMs: 1_000 };
    if (isOptional(error.data)) return { outcome: 'refused', reason };
    const known = outcomeOfError(reason);
    if (typeof known !== 'object') return { outcome: 'refused', reason };
    const later = { outcome: 'later', reason, retryAfterMs: known.waitMs } as const;
    // Slack rejects the call before it does anything.
    if (!known.isAdmins) return later;
    const isLasting = reason === missingScope || undefined;
    return { ...later, isUndone: true, isQuiet: true, isLasting };
  }
  if (error instanceof WebAPIRequestError || error instanceof WebAPIHTTPError) {
    return { outcome: 'later', reason: error.code, retryAfterMs: 0 };
  }
  throw error;
}

/** A failed Web API call that may pass; undefined for any other error. */
export function readPassing(error: unknown) {
  if (!isSlackError(error)) return undefined;
  const failure = readSlackFailure(error);
  return failure.outcome === 'later' ? failure : undefined;
}
