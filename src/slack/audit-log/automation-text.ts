import type { AuditEntry } from '../../store/audit/audit-entry.ts';
import { boldTitle } from '../runs/showing/run-label.ts';
import { escapeText } from '../text/escape-text.ts';

const verbs: Record<string, string> = {
  automation_created: 'created automation',
  automation_changed: 'changed automation',
  automation_paused: 'paused automation',
  automation_resumed: 'resumed automation',
  automation_deleted: 'deleted automation',
  automation_taken_over: 'took over automation',
  automation_secret_replaced: 'replaced the secret of automation',
};

/** Reasons why the app pauses an automation, as the log has them. */
const pauseReasons: Record<string, string> = {
  owner: "its owner can't start runs there",
  failures: 'too many starts failed',
};

/** Returns mrkdwn such as "*paused automation Nightly check* in #engineering", or undefined for other entries. */
export function automationText({
  action,
  entity,
  channelId,
  details,
}: AuditEntry): string | undefined {
  const verb = verbs[action];
  if (!verb || entity.type !== 'automation') return undefined;
  const { name } = details;
  const what =
    name === undefined ? verb.replace(/automation$/, 'an automation') : `${verb} ${name}`;
  const act = boldTitle(what, 200);
  const where = channelId ? ` in <#${escapeText(channelId, 30)}>` : '';
  const reason = pauseReasons[String(details['reason'])];
  return `${act}${where}${reason ? `  ·  ${reason}` : ''}`;
}
