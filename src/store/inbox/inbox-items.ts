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

/** Something that arrived. Its id says what it is, so that the same isn't stored twice, also not as another kind. */
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
 * An item that waits for a request is due when that has a `run` or is at its `end`, doesn't exist, or isn't followed to its
 * end.
 */
export type RequestPoint = { requestId: string; until: 'run' | 'end' };

export type InboxChanges = {
  handledAt?: number;
  failures?: number;
  waitsFor?: RequestPoint;
};

type Item = InsertObject<DatabaseSchema, 'inbox'>;

export type InboxItems = ReturnType<typeof createInboxItems>;

/** Slack repeats a delivery for about five minutes. Handled items are kept longer, to recognize it. */
const keptMs = 60 * 60_000;
/** Interval of checks that a request has reached the point that items wait for. */
const checkRequestsEveryMs = 1_000;

/** Deliveries that are worked on later. They're stored before Slack gets its acknowledgement. */
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
    /** Returns false for a repeated delivery. */
    async add(item: NewItem): Promise<boolean> {
      return (await insert(item, { due_at: nowMs(db) })) !== undefined;
    },

    /** Adds an item that this process already works on. Undefined for a repeated delivery. */
    addLeased(item: NewItem, owner: string, leaseMs: number): Promise<InboxItem | undefined> {
      const until = sql<number>`${nowMs(db)} + ${sql.lit(leaseMs)}`;
      return insert(item, { lease_owner: owner, lease_until: until });
    },

    /**
     * Changes what an unhandled item says.
     * @param change gets what it says now; undefined leaves it as it is
     * @returns what it says after that; undefined if it's handled or unknown
     */
    async change(
      item: Pick<NewItem, 'id' | 'kind'>,
      change: (content: unknown) => unknown,
    ): Promise<unknown> {
      // Most are handled already, which takes no transaction to see.
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

    /** Returns true if an unhandled item of this kind has an ID that starts with `prefix` and sorts before this one. */
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

    /** @param order one after the other in each workspace, or any number at once */
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
        // The next one may be of a workspace that this one makes wait.
        claim: (owner, leaseMs, limit) => leases.claim(owner, leaseMs, order === 'any' ? limit : 1),
      },
      readItem,
    ),

    /** Has everything that waits for its next try tried now. */
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

/** Deletes the content of a handled item. The row stays, to recognize a repeated delivery. */
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
