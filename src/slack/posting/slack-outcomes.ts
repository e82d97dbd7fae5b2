/** What we write for a run: its message, changes of it, and the reply at its end. */
export type SlackWriteKind = 'post' | 'update' | 'reply';

/**
 * What happens to a write that Slack refuses; see docs/decisions/007-every-refusal-by-slack-has-an-outcome.md.
 * `shorter`: the same at once in few words. `anew`: another message in the same place; the old one is taken away.
 * `direct`: it goes to the creator as a direct message. `stop`: nothing more is written there; Home lists the run, and
 * its creator is told of the end directly.
 */
export type WriteOutcome = 'shorter' | 'anew' | 'direct' | 'stop';

type Outcomes = { post: 'shorter' | 'direct'; update: WriteOutcome; reply: 'shorter' | 'direct' };
/** It passes by itself, or when an admin has mended it: asked again after so long, for as long as it takes. */
type Wait = { waitMs: number; isAdmins: boolean };

const wait = (seconds: number): Wait => ({ waitMs: seconds * 1_000, isAdmins: false });
const untilMended: Wait = { waitMs: 60_000, isAdmins: true };
const closedToUs: Outcomes = { post: 'direct', update: 'direct', reply: 'direct' };
const tooMuch: Outcomes = { post: 'shorter', update: 'shorter', reply: 'shorter' };
const notEditable: Outcomes = { post: 'direct', update: 'anew', reply: 'direct' };
const gone: Outcomes = { post: 'direct', update: 'stop', reply: 'direct' };

/**
 * Slack's errors and what becomes of the write, in one place. An error that is not here: a post and a reply go
 * `direct`, an update is tried `shorter`.
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

  token_revoked: untilMended,
  token_expired: untilMended,
  invalid_auth: untilMended,
  account_inactive: untilMended,
  not_authed: untilMended,
  missing_scope: untilMended,
  ekm_access_denied: untilMended,

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

/** Whether nothing gets better before an admin has done something: about the token, or what it may do. */
export function needsAdmin(reason: string): boolean {
  const known = Object.hasOwn(slackOutcomes, reason) ? slackOutcomes[reason] : undefined;
  return known !== undefined && 'waitMs' in known && known.isAdmins;
}
