import { sql } from 'kysely';
import { type ConnectionKind, connectionKindOf } from '../requests/connection.ts';
import { liveSteps } from '../requests/steps.ts';
import { hasActiveInstallation } from './database-owner.ts';
import type { Db } from './schema.ts';

/** Number of rows of a kind, with the time of the oldest in epoch ms. */
export type Waiting = { name: string; count: number; oldestAt: number };

export type Backlog = ReturnType<typeof createBacklog>;

/** Times when the oldest waiting post and the oldest waiting inbox item were stored, in epoch ms. */
export type OldestWaiting = { postAt: number | undefined; itemAt: number | undefined };

const count = sql<number>`count(*)`.as('count');
/** Condition for work that is due or leased, written so that both databases use an index. */
const isUnderWay = sql<boolean>`(due_at >= 0 or lease_owner > '')`;

const isOf = (teamId: string | undefined) =>
  teamId === undefined ? sql<boolean>`1 = 1` : sql<boolean>`team_id = ${teamId}`;

/**
 * Reads the unfinished work of all replicas, for one workspace or for all that have the app. Every statement reads only
 * unfinished rows.
 */
export function createBacklog(db: Db) {
  const backlog = {
    requests: () =>
      db
        .selectFrom('requests')
        .select(['step as name', count])
        .where('step', 'in', liveSteps)
        .groupBy('step')
        .execute(),

    async runs(): Promise<Omit<Waiting, 'oldestAt'>[]> {
      const rows = await db
        .selectFrom('requests')
        .select(['run_state', count])
        .where('step', '=', 'following')
        .groupBy('run_state')
        .execute();
      return rows.map((row) => ({ name: row.run_state ?? 'UNKNOWN', count: row.count }));
    },

    /** Returns posts that aren't in Slack yet, by kind. */
    outbox: (teamId?: string): Promise<Waiting[]> =>
      db
        .selectFrom('outbox')
        .select(['kind as name', count, (row) => row.fn.min('created_at').as('oldestAt')])
        .where('state', '=', 'waiting')
        .where(isUnderWay)
        .where(hasActiveInstallation('outbox'))
        .where(isOf(teamId))
        .groupBy('kind')
        .execute(),

    /** Returns items that aren't handled yet, by kind. */
    inbox: (teamId?: string): Promise<Waiting[]> =>
      db
        .selectFrom('inbox')
        .select(['kind as name', count, (row) => row.fn.min('received_at').as('oldestAt')])
        .where('handled_at', 'is', null)
        .where(isUnderWay)
        .where(hasActiveInstallation('inbox'))
        .where(isOf(teamId))
        .groupBy('kind')
        .execute(),

    /** Returns the highest number of consecutive failures among the connections of each kind. */
    async sweepFailures(): Promise<Record<ConnectionKind, number>> {
      const rows = await db
        .selectFrom('connections')
        .select(['id', 'failures'])
        .where('failures', '>', 0)
        .execute();
      const mostOf = (kind: ConnectionKind) =>
        Math.max(
          0,
          ...rows.filter(({ id }) => connectionKindOf(id) === kind).map((row) => row.failures),
        );
      return { default: mostOf('default'), added: mostOf('added'), own: mostOf('own') };
    },

    /** Checks the database. Throws if it doesn't respond. */
    ping: async (): Promise<void> => void (await sql`select 1`.execute(db)),

    async oldest(teamId?: string): Promise<OldestWaiting> {
      const [posts, items] = await Promise.all([backlog.outbox(teamId), backlog.inbox(teamId)]);
      return { postAt: oldestOf(posts), itemAt: oldestOf(items) };
    },
  };
  return backlog;
}

const oldestOf = (rows: readonly Waiting[]): number | undefined =>
  rows.length === 0 ? undefined : Math.min(...rows.map(({ oldestAt }) => oldestAt));
