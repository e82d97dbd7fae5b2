import { isPostgres, nowMs } from 'base/database/clock';
import { createColumns } from 'base/database/columns';
import { claimOneByOne, createLeases } from 'base/database/leases';
import { Secret } from 'base/encryption/secret';
import type { Finished, Lease } from 'base/leased-work';
import { type InsertObject, type Selectable, type SqlBool, sql, type UpdateObject } from 'kysely';
import { z } from 'zod';
import { hasActiveInstallation, isOwned } from '../database-owner.ts';
import { owners } from '../encrypted-columns.ts';
import type { DatabaseSchema, Db, InboxTable } from '../schema.ts';

/**
 * New item to handle later. Its ID is derived from its source, so that nothing is stored twice, not even as different
 * kinds.
 */
type NewItem = { id: string; kind: string; teamId: string; content: unknown };

/** A leased item. `receivedAt` is epoch milliseconds. */
const itemSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  content: z.unknown(),
  receivedAt: z.number(),
  failures: z.number(),
});
export type InboxItem = z.infer<typeof itemSchema> & Pick<Lease, 'version'>;
const columns = createColumns(itemSchema, owners);

/**
 * Point that an item waits for: its request has a `run` or is at its `end`. A request that doesn't exist, or isn't
 * followed to its end, has also reached the point.
 */
export type RequestPoint = { requestId: string; until: 'run' | 'end' };

export type InboxChanges = {
  handledAt?: number;
  failures?: number;
  waitsFor?: RequestPoint;
};

type Item = InsertObject<DatabaseSchema, 'inbox'>;

export type InboxItems = ReturnType<typeof createInboxItems>;

/** Time to keep handled items, in ms, to recognize a repeat. Slack repeats a delivery for about five minutes. */
const keptMs = 60 * 60_000;
/** Interval of checking if requests have reached the point that items wait for, in ms. */
const checkRequestsEveryMs = 1_000;

/** Creates the store of deliveries that are handled later. Each is stored before Slack gets its acknowledgement. */
export function createInboxItems(db: Db) {
  async function insert(
    { id, kind, teamId, content }: NewItem,
    lease: Pick<Item, 'due_at'> | Pick<Item, 'lease_owner' | 'lease_until'>,
  ): Promise<InboxItem | undefined> {
    const row = await db
      .insertInto('inbox')
      .values({
        id,
        kind,
        team_id: teamId,
        content_json: new Secret('content_json', id, JSON.stringify(content)),
        received_at: Date.now(),
        ...lease,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returningAll()
      .executeTakeFirst();
    return row && readItem(row);
  }

  return {
    /** Adds an item. Returns false for a repeated delivery. */
    async add(item: NewItem): Promise<boolean> {
      return (await insert(item, { due_at: nowMs(db) })) !== undefined;
    },

    /** Adds an item that this process already works on. Undefined for a repeated delivery. */
    addLeased(item: NewItem, owner: string, leaseMs: number): Promise<InboxItem | undefined> {
      const until = sql<number>`${nowMs(db)} + ${sql.lit(leaseMs)}`;
      return insert(item, { lease_owner: owner, lease_until: until });
    },

    /**
     * Changes the content of an unhandled item.
     * @param change gets the current content; returns undefined to leave it as it is
     * @returns the content after that; undefined if it's handled or unknown
     */
    async change(
      item: Pick<NewItem, 'id' | 'kind'>,
      change: (content: unknown) => unknown,
    ): Promise<unknown> {
      // Skip the transaction if the item is already handled, because most are.
      if (!(await unhandled(db, item).executeTakeFirst())) return undefined;
      return db.transaction().execute(async (transaction) => {
        const query = unhandled(transaction, item);
        const row = await (isPostgres(db) ? query.forUpdate() : query).executeTakeFirst();
        if (!row) return undefined;
        const before: unknown = JSON.parse(row.content_json);
        const content = change(before);
        if (content === undefined) return before;
        await transaction
          .updateTable('inbox')
          .set({ content_json: new Secret('content_json', item.id, JSON.stringify(content)) })
          .where('id', '=', item.id)
          .execute();
        return content;
      });
    },

    /**
     * Returns true if an earlier item of this kind isn't handled yet. Its ID starts with `prefix` and sorts before this
     * one's.
     */
    async hasEarlier({ id, kind }: Pick<NewItem, 'id' | 'kind'>, prefix: string): Promise<boolean> {
      const row = await db
        .selectFrom('inbox')
        .select('id')
        .where('kind', '=', kind)
        .where('handled_at', 'is', null)
        .where('id', '>=', prefix)
        .where('id', '<', id)
        .where(isOwned('inbox'))
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /**
     * Creates the leases for one kind of item.
     * @param order one at a time in each workspace, or any number at once
     */
    leasesOf: (kind: string, order: ItemOrder = 'any') => createItemLeases(db, kind, order),
  };
}

const unhandled = (db: Db, { id, kind }: Pick<NewItem, 'id' | 'kind'>) =>
  db
    .selectFrom('inbox')
    .select(['id', 'content_json'])
    .where('id', '=', id)
    .where('kind', '=', kind)
    .where('handled_at', 'is', null)
    .where(isOwned('inbox'));

type ItemOrder = 'one by one' | 'any';

function createItemLeases(db: Db, kind: string, order: ItemOrder) {
  const isWaiting = sql<SqlBool>`due_at is null and lease_owner is null and waits_for_request is not null`;
  const isEarly = sql`requests.id = inbox.waits_for_request
    and step not in ('ended', 'not_started')
    and (run_id is null or (waits_until = 'end' and unfollowed_at is null))`;
  const isBusy = sql`exists (select 1 from inbox busy
    where busy.kind = ${kind} and busy.team_id = inbox.team_id and busy.lease_owner is not null)`;
  const isTurn = order === 'any' ? sql`1 = 1` : sql`(lease_owner is not null or not ${isBusy})`;
  const which = sql<SqlBool>`kind = ${kind} and ${hasActiveInstallation('inbox')} and ${isTurn}`;
  const leases = createLeases(db, 'inbox', {
    which,
    othersInMs: sql<number | null>`(select min(
      case when exists (select 1 from requests where ${isEarly}) then ${sql.lit(checkRequestsEveryMs)} else 0 end
    ) from inbox where ${which} and ${isWaiting})`,
    others: sql<SqlBool>`${isWaiting} and not exists (select 1 from requests where ${isEarly})`,
  });

  return {
    renew: leases.renew,
    nextDueInMs: leases.nextDueInMs,

    claim: claimOneByOne(
      {
        // Claim one item at a time, because the next one may belong to the same workspace and has to wait.
        claim: (owner, leaseMs, limit) => leases.claim(owner, leaseMs, order === 'any' ? limit : 1),
      },
      readItem,
    ),

    /** Makes all items that wait for their next try due now. */
    async retryNow(): Promise<void> {
      await db
        .updateTable('inbox')
        .set({ due_at: nowMs(db) })
        .where('kind', '=', kind)
        .where(hasActiveInstallation('inbox'))
        .where('due_at', '>', nowMs(db))
        .execute();
    },

    async release(finished: readonly Finished<InboxChanges>[]): Promise<string[]> {
      const lost = await leases.release(finished, ({ lease, changes }) =>
        changedColumns(lease.id, changes),
      );
      await db
        .deleteFrom('inbox')
        .where('handled_at', '<', Date.now() - keptMs)
        .execute();
      return lost;
    },
  };
}

/**
 * Returns the changed columns. A handled item loses its content, but its row stays to recognize a repeated delivery.
 */
function changedColumns(id: string, { handledAt, failures, waitsFor }: InboxChanges) {
  return {
    ...(failures !== undefined && { failures }),
    ...(waitsFor && { waits_for_request: waitsFor.requestId, waits_until: waitsFor.until }),
    ...(handledAt !== undefined && {
      handled_at: handledAt,
      content_json: new Secret('content_json', id, '{}'),
      waits_for_request: null,
    }),
  } satisfies UpdateObject<DatabaseSchema, 'inbox'>;
}

const readItem = (row: Selectable<InboxTable>): InboxItem => ({
  ...columns.read(row),
  version: row.version,
});
