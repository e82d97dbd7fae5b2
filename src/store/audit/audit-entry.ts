import { createHash } from 'node:crypto';

/** What someone did. `details` never has a prompt, an answer or a key. */
export type AuditEntry = {
  id: string;
  teamId: string;
  /** Epoch milliseconds. */
  createdAt: number;
  action: string;
  /** A Slack user id, or `system`. */
  actorId: string;
  entity: { type: string; id: string };
  channelId: string | null;
  details: Readonly<Record<string, string | number | boolean>>;
};

/** `position` counts from 1. */
export type SealedEntry = AuditEntry & { position: number; hash: string };

export type NewAuditEntry = Omit<AuditEntry, 'id' | 'createdAt' | 'channelId' | 'details'> &
  Partial<Pick<AuditEntry, 'id' | 'channelId' | 'details'>>;

/** The hash of an entry covers the one before it, so nothing can be changed or taken out unnoticed. */
export const hashOf = (entry: AuditEntry, before: string): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        before,
        ...[entry.id, entry.teamId, entry.createdAt, entry.action, entry.actorId],
        ...[entry.entity.type, entry.entity.id, entry.channelId, entry.details],
      ]),
    )
    .digest('hex');
