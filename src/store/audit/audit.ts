import { randomUUID } from 'node:crypto';
import { prepare } from 'base/database/prepared';
import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { DatabaseSchema, Db } from '../schema.ts';
import type { AuditEntriesTable } from '../schema-people.ts';
import { type AuditEntry, hashOf, type NewAuditEntry, type SealedEntry } from './audit-entry.ts';

type AuditFilter = { teamId: string; actorId?: string; action?: string };
export type Audit = ReturnType<typeof createAudit>;

const sealedAtOnce = 500;

/**
 * What people did. Entries are only added. The database notes what is written on requests; everything else is noted
 * here. See docs/decisions/022-the-audit-log-only-grows.md.
 */
export function createAudit(db: Db) {
  const selectWaiting = prepare(({ limit }: { limit: number }) =>
    db
      .selectFrom('audit_entries')
      .selectAll()
      .where('position', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit),
  );

  return {
    note: (entry: NewAuditEntry) => insertEntry(db, entry),

    /**
     * Gives new entries their place in the chain. Answers how many. Nothing happens if another process does the same: its
     * positions are unique.
     */
    async seal(): Promise<number> {
      const { rows: waiting } = await db.executeQuery(selectWaiting({ limit: sealedAtOnce }));
      if (waiting.length > 0) await db.transaction().execute((trx) => chain(trx, waiting));
      return waiting.length;
    },

    /** The newest first. */
    async list({ teamId, actorId, action }: AuditFilter, limit: number): Promise<SealedEntry[]> {
      const rows = await sealed(db)
        .where('team_id', '=', teamId)
        .$if(actorId !== undefined, (all) => all.where('actor_id', '=', actorId ?? ''))
        .$if(action !== undefined, (all) => all.where('action', 'like', `%${plainLike(action)}%`))
        .orderBy('position', 'desc')
        .limit(limit)
        .execute();
      return rows.map(readSealed);
    },

    async after(position: number, limit: number): Promise<SealedEntry[]> {
      const all = sealed(db).where('position', '>', position).orderBy('position');
      return (await all.limit(limit).execute()).map(readSealed);
    },

    /** What the webhook doesn't have yet. */
    async unsent(limit: number): Promise<SealedEntry[]> {
      const all = sealed(db).where('sent_at', 'is', null).orderBy('position');
      return (await all.limit(limit).execute()).map(readSealed);
    },

    async markSent(through: number): Promise<void> {
      await db
        .updateTable('audit_entries')
        .set({ sent_at: Date.now() })
        .where('position', '<=', through)
        .where('sent_at', 'is', null)
        .execute();
    },

    /**
     * Deletes from the beginning, so that the rest is one chain. The newest entry stays.
     * @param onlySent whether the webhook needs them first
     * @returns how many were deleted
     */
    async removeBefore(time: number, { onlySent }: { onlySent: boolean }): Promise<number> {
      const { position: newest } = await readHead(db);
      const kept = await sealed(db)
        .where((row) =>
          row.or([
            row('created_at', '>=', time),
            ...(onlySent ? [row('sent_at', 'is', null)] : []),
            row('position', '=', newest),
          ]),
        )
        .orderBy('position')
        .limit(1)
        .executeTakeFirst();
      if (!kept) return 0;
      const { numDeletedRows } = await db
        .deleteFrom('audit_entries')
        .where('position', '<', Number(kept.position))
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    async countUnsealed(): Promise<number> {
      const { count } = await db
        .selectFrom('audit_entries')
        .select((row) => row.fn.countAll().as('count'))
        .where('position', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}

async function chain(trx: Db, entries: readonly Row[]): Promise<void> {
  let head = await readHead(trx);
  for (const row of entries) {
    head = { position: head.position + 1, hash: hashOf(readEntry(row), head.hash) };
    const sealed = await trx
      .updateTable('audit_entries')
      .set(head)
      .where('id', '=', row.id)
      .where('position', 'is', null)
      .executeTakeFirst();
    if (sealed.numUpdatedRows !== 1n) throw new SealedElsewhere();
  }
}

/** Another process was faster. */
export class SealedElsewhere extends Error {}

/** Also for a transaction. An entry with a known id is noted once. */
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

async function readHead(db: Db): Promise<{ position: number; hash: string }> {
  const [last] = await sealed(db).orderBy('position', 'desc').limit(1).execute();
  return { position: Number(last?.position ?? 0), hash: last?.hash ?? '' };
}

type Row = Selectable<AuditEntriesTable>;
type Sealed = SelectQueryBuilder<DatabaseSchema, 'audit_entries', Row>;

const sealed = (db: Db): Sealed =>
  db.selectFrom('audit_entries').selectAll().where('position', 'is not', null);

/** Actions have underscores, which stand for any character. */
const plainLike = (text = '') => text.replace(/[%\\]/g, '');

const readEntry = (row: Row): AuditEntry => ({
  id: row.id,
  teamId: row.team_id,
  createdAt: Number(row.created_at),
  action: row.action,
  actorId: row.actor_id,
  entity: { type: row.entity_type, id: row.entity_id },
  channelId: row.channel_id,
  details: JSON.parse(row.details_json),
});

const readSealed = (row: Row): SealedEntry => ({
  ...readEntry(row),
  position: Number(row.position),
  hash: row.hash ?? '',
});
