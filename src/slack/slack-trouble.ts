import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';

/** Why a Web API call had no success: `refused` stays so, `later` may pass by itself. */
export type SlackTrouble =
  | { outcome: 'refused'; reason: string }
  | { outcome: 'later'; reason: string; retryAfterMs: number; isUndone?: true };

/** Slack's own faults, and what an admin must mend first; neither is cured by asking again at once. */
const passing: Record<string, number> = {
  internal_error: 5_000,
  fatal_error: 5_000,
  service_unavailable: 10_000,
  request_timeout: 5_000,
  team_added_to_org: 10_000,
  ratelimited: 30_000,
  invalid_auth: 60_000,
  token_revoked: 60_000,
  token_expired: 60_000,
  account_inactive: 60_000,
  not_authed: 60_000,
};

const slackErrorCode = /^[a-z][a-z0-9_:.-]*$/;
export const rateLimited = 'ratelimited';

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
    const retryAfterMs = passing[reason];
    return retryAfterMs
      ? { outcome: 'later', reason, retryAfterMs }
      : { outcome: 'refused', reason };
  }
  if (error instanceof WebAPIRequestError || error instanceof WebAPIHTTPError) {
    return { outcome: 'later', reason: error.code, retryAfterMs: 0 };
  }
  throw error;
}
