import type { WebClient } from '@slack/web-api';
import { knownTimeZone } from '../../lib/local-time.ts';
import { withPatience } from '../../lib/patience.ts';
import type { Asker, Scope } from '../configuration/run-defaults.ts';
import { ackWaitMs } from '../connection/acknowledge-in-time.ts';
import { readSlackTrouble } from '../posting/slack-trouble.ts';

/** With the time zone that an hour they set goes by; otherwise the sentence that says who may. */
type MayEdit = { ok: true; timeZone: string } | { ok: false; refusal: string };

/** Whether a person may change the settings of this scope, as Slack says now. */
export async function mayEdit(
  client: Pick<WebClient, 'users'>,
  scope: Scope,
  { userId, teamId }: Asker,
): Promise<MayEdit> {
  if (scope === 'person') return { ok: true, timeZone: 'UTC' };
  const { user } = await client.users.info({ user: userId });
  const isOurs = user?.team_id === undefined || user.team_id === teamId;
  const allowed = { ok: true, timeZone: knownTimeZone(user?.tz) } as const;
  if (scope === 'workspace') {
    if (isOurs && (user?.is_admin || user?.is_owner)) return allowed;
    const refusal = 'Only admins of the workspace may change its settings. Ask one of them.';
    return { ok: false, refusal };
  }
  if (isOurs && !user?.is_restricted) return allowed;
  const refusal = 'Only members of this workspace may change a channel’s settings, not guests.';
  return { ok: false, refusal };
}

/** For a form, which has to be acknowledged: without an answer of Slack nothing is changed. */
export async function mayEditInTime(...asked: Parameters<typeof mayEdit>): Promise<MayEdit> {
  try {
    return (await withPatience(mayEdit(...asked), ackWaitMs)) ?? unsure;
  } catch (error) {
    readSlackTrouble(error);
    return unsure;
  }
}

const unsure: MayEdit = {
  ok: false,
  refusal: 'Slack didn’t say who you are, so nothing was saved. Try again in a moment.',
};
