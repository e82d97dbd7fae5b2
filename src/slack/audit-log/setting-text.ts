import type { AuditEntry } from '../../store/audit/audit-entry.ts';
import { fieldLabels } from '../configuration/run-defaults.ts';
import { escapeText } from '../text/escape-text.ts';

const settingNames: Record<string, string> = {
  'run.defaults': 'run defaults',
  'runs.notices': 'notifications',
  'runs.replies': 'replies',
  'runs.digest': 'the daily digest',
  'start.at-once': 'starting without the form',
};

const memberNames: Record<string, string> = {
  ...fieldLabels,
  reply: 'where the end reply goes',
  toChannel: 'also send to the channel',
  quiet: 'quiet hours',
};

/** Returns mrkdwn such as "*changed replies* in #engineering", or undefined for other entries. */
export function settingText({ action, entity, details }: AuditEntry): string | undefined {
  const verb = { setting_changed: 'changed', setting_removed: 'removed' }[action];
  const [scope, scopeId = '', ...rest] = entity.id.split('/');
  if (!verb || entity.type !== 'setting') return undefined;
  const key = rest.join('/');
  const [, preset] = /^preset:(.*)/s.exec(key) ?? [];
  const name = preset === undefined ? (settingNames[key] ?? key) : `preset ${preset}`;
  const changed = String(details['changed'] ?? '')
    .split(', ')
    .filter(Boolean)
    .map((each) =>
      (memberNames[each] ?? each).replace(/^[A-Z](?=[a-z])/, (it) => it.toLowerCase()),
    );
  const what = escapeText(
    [name, ...(changed.length > 0 ? [`(${changed.join(', ')})`] : [])].join(' '),
    200,
  );
  return `*${verb} ${what}* ${placeOf(scope, scopeId)}`;
}

function placeOf(scope: string | undefined, id: string): string {
  if (scope === 'workspace') return 'for the workspace';
  if (scope === 'person') return 'for themselves';
  return id.startsWith('D') ? 'in a direct message' : `in <#${escapeText(id, 30)}>`;
}
