import type { Audit } from '../../store/audit/audit.ts';
import type { AuditEntry } from '../../store/audit/audit-entry.ts';
import type { Conversations } from '../../store/people/conversations.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import type { ReadMessageLink } from '../posting/source-message.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { boldTitle, titleLine } from '../runs/showing/run-label.ts';
import { time } from '../text/dates.ts';
import { code, escapeText, link } from '../text/escape-text.ts';
import { automationText } from './automation-text.ts';
import { settingText } from './setting-text.ts';

type AuditAnswerDeps = {
  audit: Pick<Audit, 'list'>;
  rights: Pick<Rights, 'denyAllButAdmins'>;
  access: Pick<RunAccess, 'seeRequest'>;
  conversations: Pick<Conversations, 'isOpenTo'>;
  readMessageLink: ReadMessageLink;
};

type AnswerAudit = (
  asker: Asker,
  filter: { actorId?: string | undefined; action?: string | undefined },
) => Promise<string>;

const maxEntries = 20;

/** Creates the answer to `/agent audit`, which lists the newest entries for admins. */
export const createAuditAnswer =
  (deps: AuditAnswerDeps): AnswerAudit =>
  async (asker, { actorId, action }) => {
    const denial = await deps.rights.denyAllButAdmins(asker, 'read the audit log');
    if (denial) return `🔒 ${denial}`;
    const filter = { teamId: asker.teamId, ...(actorId && { actorId }), ...(action && { action }) };
    const listed = await deps.audit.list(filter, maxEntries);
    if (listed.length === 0) return 'No audit log entries match.';
    const entries = await Promise.all(listed.map((each) => withoutHiddenName(deps, asker, each)));
    const runs = await readRuns(deps, asker, entries);
    const lines = entries.map((entry) => auditLine(entry, runs));
    return ['*Audit log*, newest first', ...lines].join('\n');
  };

/** Leaves out the name of an automation in a conversation that the admin isn't in, because it can be from a prompt. */
async function withoutHiddenName(
  { conversations }: AuditAnswerDeps,
  { teamId, userId, channelId: here }: Asker,
  entry: AuditEntry,
): Promise<AuditEntry> {
  const { channelId, entity, details } = entry;
  const isNamed = entity.type === 'automation' || 'automation' in details;
  if (!isNamed || !channelId || channelId === here) return entry;
  if (await conversations.isOpenTo({ teamId, conversationId: channelId }, userId)) return entry;
  const { name: _name, automation: _automation, ...others } = details;
  return { ...entry, details: others };
}

/** Reads run titles with links, by request ID. Leaves out runs that the admin can't see in Slack. */
async function readRuns(
  { access, readMessageLink }: AuditAnswerDeps,
  { teamId, userId, channelId }: Asker,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, string>> {
  const ids = entries.flatMap(({ entity }) => (entity.type === 'run' ? [entity.id] : []));
  const viewer = { teamId, userId, conversationId: channelId };
  const titled = [...new Set(ids)].map(async (id) => {
    const found = await access.seeRequest(viewer, id);
    if ('sentence' in found) return [];
    const title = titleLine(found.request.title);
    const linked = link(await readMessageLink(found.request, userId), title);
    return [[id, linked || escapeText(title, 100)] as const];
  });
  return new Map((await Promise.all(titled)).flat());
}

/** Renders an entry as one line of mrkdwn. */
function auditLine(entry: AuditEntry, runs: ReadonlyMap<string, string>): string {
  const { createdAt, actorId, action, channelId, details } = entry;
  const who = /^[UW][A-Z0-9]+$/.test(actorId) ? `<@${actorId}>` : escapeText(actorId, 50);
  const sentence = settingText(entry) ?? automationText(entry);
  if (sentence) return `${time(createdAt)}  ${who}  ${sentence}`;
  const where = channelId && /^[CG][A-Z0-9]+$/.test(channelId) ? ` in <#${channelId}>` : '';
  // The name of an automation is shown. Its ID is in the export.
  const { automationId, automation, ...shown } = details;
  const more = Object.entries(shown).map(([name, value]) => `${name}: ${value}`);
  const extra = more.length > 0 ? `  ·  ${escapeText(more.join(', '), 200)}` : '';
  const act = escapeText(action.replaceAll('_', ' '), 60);
  const by =
    automation === undefined ? 'by an automation' : `by automation ${boldTitle(`${automation}`)}`;
  const of = automationId === undefined ? '' : `  ·  ${by}`;
  return `${time(createdAt)}  ${who}  *${act}*  ${entityText(entry, runs)}${where}${of}${extra}`;
}

/** Names the thing that an entry is about. A run has its title here, and its ID in the export. */
function entityText({ entity }: AuditEntry, runs: ReadonlyMap<string, string>): string {
  switch (entity.type) {
    case 'run':
      return runs.get(entity.id) ?? 'a run';
    case 'workspace':
      return 'the workspace';
    default:
      return `${escapeText(entity.type, 30)} ${code(entity.id, 100)}`;
  }
}
