import type { Audit } from '../../store/audit/audit.ts';
import type { AuditEntry } from '../../store/audit/audit-entry.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import { time } from '../text/dates.ts';
import { code, escapeText } from '../text/escape-text.ts';
import { settingWords } from './setting-words.ts';

type AuditAnswerDeps = { audit: Pick<Audit, 'list'>; rights: Pick<Rights, 'refuseButAdmins'> };

type AnswerAudit = (
  asker: Asker,
  filter: { actorId?: string | undefined; action?: string | undefined },
) => Promise<string>;

const entriesShown = 20;

/** `/agent audit`, for admins: the newest entries. */
export const createAuditAnswer =
  ({ audit, rights }: AuditAnswerDeps): AnswerAudit =>
  async (asker, { actorId, action }) => {
    const refusal = await rights.refuseButAdmins(asker, 'read the audit log');
    if (refusal) return `⚠️ ${refusal}`;
    const filter = { teamId: asker.teamId, ...(actorId && { actorId }), ...(action && { action }) };
    const entries = await audit.list(filter, entriesShown);
    if (entries.length === 0) return 'The audit log has no such entries.';
    return ['*Audit log*, newest first', ...entries.map(auditLine)].join('\n');
  };

/** One line of mrkdwn. */
function auditLine(entry: AuditEntry): string {
  const { createdAt, actorId, action, entity, channelId, details } = entry;
  const who = /^[UW][A-Z0-9]+$/.test(actorId) ? `<@${actorId}>` : escapeText(actorId, 50);
  const setting = settingWords(entry);
  if (setting) return `${time(createdAt)}  ${who}  ${setting}`;
  const where = channelId && /^[CG][A-Z0-9]+$/.test(channelId) ? ` in <#${channelId}>` : '';
  const more = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  const extra = more.length > 0 ? `  ·  ${escapeText(more.join(', '), 200)}` : '';
  const words = escapeText(action.replaceAll('_', ' '), 60);
  const what = `${escapeText(entity.type, 30)} ${code(entity.id, 100)}`;
  return `${time(createdAt)}  ${who}  *${words}*  ${what}${where}${extra}`;
}
