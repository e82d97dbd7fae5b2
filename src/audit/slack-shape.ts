import type { SealedEntry } from '../store/audit/audit-entry.ts';

/** An entry in the shape of Slack's audit logs, so that the same tools read both. https://docs.slack.dev/admins/audit-logs-api */
export const slackShape = (entry: SealedEntry) => ({
  id: entry.id,
  date_create: Math.floor(entry.createdAt / 1_000),
  action: entry.action,
  actor: { type: 'user', user: { id: entry.actorId } },
  entity: { type: entry.entity.type, [entry.entity.type]: { id: entry.entity.id } },
  context: {
    location: { type: 'workspace', id: entry.teamId },
    ...(entry.channelId && { channel: { id: entry.channelId } }),
  },
  details: { ...entry.details, position: entry.position, hash: entry.hash },
});
