/**
 * What happens to an update that Slack rejects; see docs/decisions/004-every-refusal-by-slack-has-an-outcome.md.
 * `shorter`: retry at once with less, also for a post or reply, which goes `direct` if that's refused too, and after the
 * others at once.
 * `repost`: post a new message there and delete the old one. `direct`: send a direct message to the creator. `stop`: write
 * nothing more there; Home lists the run, and the creator gets a direct message at the end.
 */
export type WriteOutcome = 'shorter' | 'repost' | 'direct' | 'stop';

/** Passes automatically, or when an admin fixes it. Retried after this time until it works. */
type Wait = { waitMs: number; isAdmins: boolean };

const wait = (seconds: number): Wait => ({ waitMs: seconds * 1_000, isAdmins: false });
const untilFixed: Wait = { waitMs: 60_000, isAdmins: true };

/**
 * What to do after each of Slack's errors. One that isn't listed counts as `shorter`, because Slack may not accept what is
 * in the message.
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

/** Whether an admin must fix the token or its scopes. */
export function needsAdmin(reason: string): boolean {
  const known = outcomeOfError(reason);
  return typeof known === 'object' && known.isAdmins;
}
