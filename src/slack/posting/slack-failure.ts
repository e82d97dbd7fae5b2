import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import type { Rejected, RetryLater } from '../../outbox/outcomes.ts';

/** Failure of a Web API call, which is final or can be retried later. */
export type SlackFailure = Rejected | RetryLater;

const slackErrorCode = /^[a-z][a-z0-9_:.-]*$/;
export const rateLimited = 'ratelimited';

const missingScope = 'missing_scope';

/** Scopes that posting needs. Slack also uses an older name for `chat:write`, which no app can request. */
const postScopes = ['chat:write', 'chat:write:bot'];

/** Returns true if the app works without the missing scope. Slack names several scopes if any of them is enough. */
function isOptional(answer: { error: string; needed?: unknown }): boolean {
  if (answer.error !== missingScope || typeof answer.needed !== 'string') return false;
  return !answer.needed.split(',').some((scope) => postScopes.includes(scope));
}

/** Returns the next step for a write that Slack rejected with this error. */
export function outcomeOf(kind: 'post' | 'update', reason: string): WriteOutcome {
  const listed = outcomeOfError(reason);
  const outcome = typeof listed === 'string' ? listed : 'shorter';
  return kind === 'update' || outcome === 'shorter' ? outcome : 'direct';
}

/** Error for a call without a complete answer from Slack. Web API calls wrap it, calls of a `response_url` don't. */
export class SlackUnreachable extends Error {
  /** Code of the error, because Bolt wraps errors without one. */
  readonly code = 'slack_unreachable';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'SlackUnreachable';
  }
}

/** Returns true if the error comes from a Web API call, so that `readSlackFailure` can read it. */
export const isSlackError = (error: unknown): boolean =>
  [WebAPIRateLimitedError, WebAPIPlatformError, WebAPIRequestError, WebAPIHTTPError].some(
    (kind) => error instanceof kind,
  );

/**
 * Reads the failure of a Web API call.
 * @throws the error itself if it doesn't come from a Web API call
 */
export function readSlackFailure(error: unknown): SlackFailure {
  if (error instanceof WebAPIRateLimitedError) {
    const retryAfterMs = error.retryAfter * 1000;
    return { outcome: 'later', reason: rateLimited, retryAfterMs, isUndone: true };
  }
  if (error instanceof WebAPIPlatformError) {
    const reason = error.data.error;
    // Retry later if the answer isn't JSON, such as a proxy's page. The client uses its text as the error code.
    if (!slackErrorCode.test(reason))
      return { outcome: 'later', reason: 'no_slack_answer', retryAfterMs: 1_000 };
    if (isOptional(error.data)) return { outcome: 'rejected', reason };
    const wait = outcomeOfError(reason);
    if (typeof wait !== 'object') return { outcome: 'rejected', reason };
    const later = { outcome: 'later', reason, retryAfterMs: wait.waitMs } as const;
    // Mark only admin problems as undone, because Slack checks tokens and scopes before it does anything.
    if (!wait.isAdmins) return later;
    const isLasting = reason === missingScope || undefined;
    return { ...later, isUndone: true, isQuiet: true, isLasting };
  }
  if (error instanceof WebAPIRequestError || error instanceof WebAPIHTTPError) {
    return { outcome: 'later', reason: error.code, retryAfterMs: 0 };
  }
  throw error;
}

/** Returns the failure of a Web API call if it's temporary, and undefined for any other error. */
export function readTransientFailure(error: unknown) {
  if (!isSlackError(error)) return undefined;
  const failure = readSlackFailure(error);
  return failure.outcome === 'later' ? failure : undefined;
}

/**
 * Next step for a write that Slack rejected; see docs/decisions/004-every-rejection-by-slack-has-an-outcome.md.
 * `shorter`: retry at once with less. If that's rejected too, a post goes `direct`.
 * `repost`: post a new message in the same place and delete the old one.
 * `direct`: send a direct message to the creator.
 * `stop`: write nothing more. Home lists the run, and the creator gets a direct message at the end.
 */
export type WriteOutcome = 'shorter' | 'repost' | 'direct' | 'stop';

/** Wait between retries, in ms, until the write works. `isAdmins` means that an admin must fix the problem. */
type Wait = { waitMs: number; isAdmins: boolean };

const wait = (seconds: number): Wait => ({ waitMs: seconds * 1_000, isAdmins: false });
const untilFixed: Wait = { waitMs: 60_000, isAdmins: true };

/**
 * Next step after each of Slack's errors. Errors that aren't listed are handled as `shorter`, because something in the
 * message may be unacceptable.
 */
export const slackOutcomes: Readonly<Record<string, WriteOutcome | Wait>> = {
  ratelimited: wait(30),
  rate_limited: wait(30),
  internal_error: wait(5),
  fatal_error: wait(5),
  service_unavailable: wait(10),
  request_timeout: wait(5),
  team_added_to_org: wait(10),
  update_failed: wait(5),
  external_channel_migrating: wait(60),

  token_revoked: untilFixed,
  token_expired: untilFixed,
  invalid_auth: untilFixed,
  account_inactive: untilFixed,
  team_access_not_granted: untilFixed,
  org_login_required: wait(60),
  not_authed: untilFixed,
  missing_scope: untilFixed,
  ekm_access_denied: untilFixed,

  channel_not_found: 'direct',
  not_in_channel: 'direct',
  is_archived: 'direct',
  is_inactive: 'direct',
  restricted_action: 'direct',
  posting_to_channel_denied: 'direct',
  cannot_reply_to_message: 'direct',
  thread_not_found: 'direct',

  message_not_found: 'stop',
  cant_update_message: 'repost',
  edit_window_closed: 'repost',
  block_mismatch: 'repost',

  msg_too_long: 'shorter',
  msg_blocks_too_long: 'shorter',
  invalid_blocks: 'shorter',
  invalid_blocks_format: 'shorter',
  invalid_attachments: 'shorter',
};

export const outcomeOfError = (reason: string): WriteOutcome | Wait | undefined =>
  Object.hasOwn(slackOutcomes, reason) ? slackOutcomes[reason] : undefined;

/** Returns true if an admin must fix the token or its scopes. */
export function needsAdmin(reason: string): boolean {
  const outcome = outcomeOfError(reason);
  return typeof outcome === 'object' && outcome.isAdmins;
}
