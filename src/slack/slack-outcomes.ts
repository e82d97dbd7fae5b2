/** What we write for a run: its message, changes of it, and the reply at its end. */
export type SlackWriteKind = 'post' | 'update' | 'reply';

/**
 * What becomes of a write that Slack refuses:
 * `shorter`: the same at once in few words. `anew`: another message in the same place; the old one is taken away.
 * `direct`: it goes to the creator as a direct message. `stop`: nothing more is written there; Home lists the run, and
 * its creator is told of the end directly.
 */
export type WriteOutcome = 'shorter' | 'anew' | 'direct' | 'stop';

type Outcomes = { post: 'shorter' | 'direct'; update: WriteOutcome; reply: 'shorter' | 'direct' };
/** It passes by itself, or when an admin has mended it: asked again after so long, for as long as it takes. */
type Wait = { waitMs: number };

const wait = (seconds: number): Wait => ({ waitMs: seconds * 1_000 });
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
  internal_error: wait(5),
  fatal_error: wait(5),
  service_unavailable: wait(10),
  request_timeout: wait(5),
  team_added_to_org: wait(10),

  token_revoked: wait(60),
  token_expired: wait(60),
  invalid_auth: wait(60),
  account_inactive: wait(60),
  not_authed: wait(60),

  channel_not_found: closedToUs,
  not_in_channel: closedToUs,
  is_archived: closedToUs,
  is_inactive: closedToUs,
  restricted_action: closedToUs,
  cannot_reply_to_message: closedToUs,
  thread_not_found: closedToUs,

  message_not_found: gone,
  cant_update_message: notEditable,
  edit_window_closed: notEditable,

  msg_too_long: tooMuch,
  msg_blocks_too_long: tooMuch,
  invalid_blocks: tooMuch,
};
