import type { AuditEntry } from '../../store/audit/audit-entry.ts';
import { fieldWords } from '../configuration/run-defaults.ts';
import { escapeText } from '../text/escape-text.ts';

const settings: Record<string, string> = {
  'run.defaults': 'run defaults',
  'runs.notices': 'notifications',
  'runs.replies': 'replies',
  'runs.digest': 'the daily digest',
  'start.at-once': 'starting without the form',
};

const members: Record<string, string> = {
  ...fieldWords,
  reply: 'where the reply at the end goes',
  toChannel: 'also send to the channel',
  quiet: 'quiet hours',
};

/** "*changed replies* in #engineering", as mrkdwn; undefined for other entries. */
export function settingWords({ action, entity, details }: AuditEntry): string | undefined {
  const verb = { setting_changed: 'changed', setting_removed: 'removed' }[action];
  const [scope, scopeId = '', ...rest] = entity.id.split('/');
  if (!verb || entity.type !== 'setting') return undefined;
  const key = rest.join('/');
  const [, preset] = /^preset:(.*)/s.exec(key) ?? [];
  const name = preset === undefined ? (settings[key] ?? key) : `preset ${preset}`;
  const changed = String(details['changed'] ?? '')
    .split(', ')
    .filter(Boolean)
    .map((each) => (members[each] ?? each).replace(/^[A-Z](?=[a-z])/, (it) => it.toLowerCase()));
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
