/** A write for a run: its message, an update of it, or the reply at the end. */
export type SlackWriteKind = 'post' | 'update' | 'reply';

/**
 * What happens to a write that Slack rejects; see docs/decisions/007-every-refusal-by-slack-has-an-outcome.md.
 * `shorter`: retry at once with a short text. `repost`: post a new message there and delete the old one. `direct`: send a
 * direct message to the creator. `stop`: write nothing more there; Home lists the run, and the creator gets a direct
 * message at the end.
 */
export type WriteOutcome = 'shorter' | 'repost' | 'direct' | 'stop';

type Outcomes = { post: 'shorter' | 'direct'; update: WriteOutcome; reply: 'shorter' | 'direct' };
/** Passes automatically, or when an admin fixes it. Retried after this time until it works. */
type Wait = { waitMs: number; isAdmins: boolean };

const wait = (seconds: number): Wait => ({ waitMs: seconds * 1_000, isAdmins: false });
const untilFixed: Wait = { waitMs: 60_000, isAdmins: true };
const closedToUs: Outcomes = { post: 'direct', update: 'direct', reply: 'direct' };
const tooMuch: Outcomes = { post: 'shorter', update: 'shorter', reply: 'shorter' };
const notEditable: Outcomes = { post: 'direct', update: 'repost', reply: 'direct' };
const gone: Outcomes = { post: 'direct', update: 'stop', reply: 'direct' };

/**
 * What to do after each of Slack's errors. After an error that isn't listed, a post or reply goes `direct` and an update
 * becomes `shorter`.
 */
export const slackOutcomes: Readonly<Record<string, Outcomes | Wait>> = {
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

  channel_not_found: closedToUs,
  not_in_channel: closedToUs,
  is_archived: closedToUs,
  is_inactive: closedToUs,
  restricted_action: closedToUs,
  posting_to_channel_denied: closedToUs,
  cannot_reply_to_message: closedToUs,
  thread_not_found: closedToUs,

  message_not_found: gone,
  cant_update_message: notEditable,
  edit_window_closed: notEditable,

  msg_too_long: tooMuch,
  msg_blocks_too_long: tooMuch,
  invalid_blocks: tooMuch,
  invalid_blocks_format: tooMuch,
};

/** Whether an admin must fix the token or its scopes. */
export function needsAdmin(reason: string): boolean {
  const known = Object.hasOwn(slackOutcomes, reason) ? slackOutcomes[reason] : undefined;
  return known !== undefined && 'waitMs' in known && known.isAdmins;
}
