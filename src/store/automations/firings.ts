import { sql } from 'kysely';
import type { Firing } from '../../automations/firing.ts';
import type { RunViewer } from '../requests/visible-requests.ts';
import type { Db } from '../schema.ts';
import { type HistoryEntry, withRequests } from './automation-list.ts';
import { type FiringEnd, firingRow, type NewFiring, readFiring } from './firing-row.ts';

export type Firings = ReturnType<typeof createFirings>;

/** Firing before which a page of the history begins. */
export type FiringPlace = Pick<Firing, 'happenedAt' | 'id'>;

/** Creates the store of what fired automations. Each firing is stored before anything is acknowledged. */
export function createFirings(db: Db) {
  const newestFirst = (automationId: string, limit: number) =>
    db
      .selectFrom('automation_firings')
      .selectAll()
      .where('automation_id', '=', automationId)
      .orderBy('happened_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);

  return {
    /**
     * Adds a firing. Returns false for a repeat.
     * @param body body of a webhook's delivery
     * @param end end of a firing that's decided already
     */
    async add(firing: NewFiring, body?: string, end?: FiringEnd): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('automation_firings')
        .values(firingRow(db, firing, { body, end }))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },

    /** Adds firings in one statement. Returns false if all are repeats. */
    async addAll(firings: readonly NewFiring[]): Promise<boolean> {
      if (firings.length === 0) return false;
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('automation_firings')
        .values(firings.map((firing) => firingRow(db, firing)))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows > 0n;
    },

    /** Returns the body of a webhook's delivery. Undefined if there is none anymore. */
    async bodyOf(firingId: string): Promise<string | undefined> {
      const row = await db
        .selectFrom('automation_firings')
        .select(['id', 'body'])
        .where('id', '=', firingId)
        .executeTakeFirst();
      return row?.body ?? undefined;
    },

    /**
     * Returns the firings of an automation since it got its channel, newest first, with the requests that the viewer can
     * see.
     */
    async history(
      viewer: RunViewer,
      automationId: string,
      { before, limit }: { before?: FiringPlace | undefined; limit: number },
    ): Promise<HistoryEntry[]> {
      const inChannelSince = sql<number>`coalesce(
        (select moved_at from automations where id = ${automationId}), 0)`;
      let query = newestFirst(automationId, limit)
        .where('team_id', '=', viewer.teamId)
        .where('happened_at', '>=', inChannelSince);
      if (before)
        query = query.where((where) =>
          where.or([
            where('happened_at', '<', before.happenedAt),
            where.and([where('happened_at', '=', before.happenedAt), where('id', '<', before.id)]),
          ]),
        );
      return withRequests(db, viewer, (await query.execute()).map(readFiring));
    },

    /** Returns the last deliveries of a webhook with their bodies, newest first. */
    async deliveries(
      automationId: string,
      limit: number,
    ): Promise<{ firing: Firing; body: string }[]> {
      const rows = await newestFirst(automationId, limit).where('body', 'is not', null).execute();
      return rows.flatMap((row) =>
        row.body === null ? [] : [{ firing: readFiring(row), body: row.body }],
      );
    },
  };
}
