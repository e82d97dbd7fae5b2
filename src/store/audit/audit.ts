import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Db } from '../schema.ts';
import type { AuditEntriesTable } from '../schema-people.ts';
import type { AuditEntry, NewAuditEntry } from './audit-entry.ts';

type AuditFilter = { teamId: string; actorId?: string; action?: string };
export type Audit = ReturnType<typeof createAudit>;

/**
 * Creates the audit log, to which entries are only added. Database triggers add entries for changes of requests; all
 * other entries are added here. See docs/decisions/022-the-audit-log-only-grows.md.
 */
export function createAudit(db: Db) {
  const entries = () => db.selectFrom('audit_entries').selectAll();

  return {
    note: (entry: NewAuditEntry) => insertEntry(db, entry),

    /** Returns entries that match a filter, newest first. */
    async list({ teamId, actorId, action }: AuditFilter, limit: number): Promise<AuditEntry[]> {
      const rows = await entries()
        .where('team_id', '=', teamId)
        .$if(actorId !== undefined, (all) => all.where('actor_id', '=', actorId ?? ''))
        .$if(action !== undefined, (all) => all.where('action', 'like', `%${plainLike(action)}%`))
        .orderBy('position', 'desc')
        .limit(limit)
        .execute();
      return rows.map(readEntry);
    },

    /** Returns entries after a position, oldest first. */
    async after(position: number, limit: number): Promise<AuditEntry[]> {
      const later = entries().where('position', '>', position).orderBy('position');
      return (await later.limit(limit).execute()).map(readEntry);
    },

    /** Returns entries that the webhook hasn't accepted yet, oldest first. */
    async unsent(limit: number): Promise<AuditEntry[]> {
      const unsent = entries().where('sent_at', 'is', null).orderBy('position');
      return (await unsent.limit(limit).execute()).map(readEntry);
    },

    /**
     * Marks entries as accepted by the webhook. Uses IDs, because a transaction with an earlier position may commit
     * later.
     */
    async markSent(ids: readonly string[]): Promise<void> {
      await db
        .updateTable('audit_entries')
        .set({ sent_at: Date.now() })
        .where('id', 'in', ids)
        .execute();
    },

    /**
     * Deletes old entries, from the beginning of the log.
     * @param onlySent true to keep entries that the webhook hasn't accepted yet
     * @returns the number of deleted entries
     */
    async removeBefore(time: number, { onlySent }: { onlySent: boolean }): Promise<number> {
      const kept = await db
        .selectFrom('audit_entries')
        .select('position')
        .where((row) =>
          row.or([
            row('created_at', '>=', time),
            ...(onlySent ? [row('sent_at', 'is', null)] : []),
          ]),
        )
        .orderBy('position')
        .limit(1)
        .executeTakeFirst();
      const { numDeletedRows } = await db
        .deleteFrom('audit_entries')
        .where('created_at', '<', time)
        .$if(kept !== undefined, (old) => old.where('position', '<', kept?.position ?? 0))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/** Adds an entry, unless its ID exists. `db` can be a transaction. */
export async function insertEntry(db: Db, entry: NewAuditEntry): Promise<void> {
  const { teamId, action, actorId, entity, channelId = null, details = {} } = entry;
  await db
    .insertInto('audit_entries')
    .values({
      id: entry.id ?? randomUUID().replaceAll('-', ''),
      team_id: teamId,
      created_at: Date.now(),
      action,
      actor_id: actorId,
      entity_type: entity.type,
      entity_id: entity.id,
      channel_id: channelId,
      details_json: JSON.stringify(details),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Removes wildcards from an action that someone typed. Underscores stay, because actions contain them. */
const plainLike = (text = '') => text.replace(/[%\\]/g, '');

const readEntry = (row: Selectable<AuditEntriesTable>): AuditEntry => ({
  id: row.id,
  position: Number(row.position),
  teamId: row.team_id,
  createdAt: Number(row.created_at),
  action: row.action,
  actorId: row.actor_id,
  entity: { type: row.entity_type, id: row.entity_id },
  channelId: row.channel_id,
  details: JSON.parse(row.details_json),
});
