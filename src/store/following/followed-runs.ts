import { isPostgres, nowMs } from 'base/database/clock';
import { readEach } from 'base/database/leases';
import type { Lease } from 'base/leased-work';
import { sql } from 'kysely';
import type { Run } from 'runs-client/contract';
import { operatorConnection } from '../../requests/connection.ts';
import type { RequestProblem } from '../../requests/run-progress.ts';
import { isOwned } from '../database-owner.ts';
import { type Requests, updateMany } from '../requests/lock-order.ts';
import {
  type FollowedRequest,
  knownRun,
  pendingRun,
  readFollowed,
  updateTime,
} from '../requests/request-row.ts';
import type { Db } from '../schema.ts';

export type FollowedRunsStore = ReturnType<typeof createFollowedRunsStore>;

/** Max values in one statement, because databases limit them. An ID is one value, an update is three. */
const mostAtOnce = 5_000;

/** Returns false for an ID that PostgreSQL can't store, so it can't belong to a followed run. */
const isStorable = (runId: string) => !runId.includes('\u0000');

/**
 * Returns a row with an ID, a run and the encrypted run for two columns. An encrypted value can only be compared within
 * its column.
 */
const deliveredRow = (id: string, run: Run) => sql`(cast(${id} as text),
  cast(${knownRun(id, run)} as text), cast(${pendingRun(id, run)} as text), cast(${updateTime(run)} as bigint))`;

/** Creates the store of a connection's followed runs. Sweeps use it to read and write many runs at once. */
export function createFollowedRunsStore(db: Db, connectionId: string = operatorConnection) {
  const ours = (requests: Requests) => ofConnection(requests, connectionId);
  const areFollowed = (requests: Requests) => whichAreFollowed(requests, connectionId);
  const followed = () => areFollowed(db.selectFrom('requests'));
  const waiting = (requests: Requests) => whichWait(requests, connectionId);

  const nextAfter = (runId: string) =>
    followed()
      .selectAll()
      .where('run_id', '>', runId)
      .orderBy('run_id')
      .limit(1)
      .executeTakeFirst();

  return {
    /** Stores a page of runs. Requests whose run changed become due, and nothing else changes. */
    async deliverUpdates(runs: readonly Run[]): Promise<void> {
      const possible = runs.filter(({ run_id: id }) => isStorable(id));
      const newest = [...new Map(possible.map((run) => [run.run_id, run])).values()];
      for (const some of batches(newest)) await deliver(db, connectionId, some);
    },

    /**
     * Returns the newest acceptance time of a followed request. Without one, returns that of a request that waits to
     * create its run again. Without either, returns the newest end of a run whose result may change.
     */
    async youngestAt(): Promise<number | undefined> {
      const youngestFollowed = followed()
        .select('accepted_at as at')
        .orderBy('accepted_at', 'desc')
        .limit(1);
      const youngestWaiting = waiting(db.selectFrom('requests')).select((row) =>
        row.fn.max('accepted_at').as('at'),
      );
      const youngestResult = ours(db.selectFrom('requests'))
        .select('ended_at as at')
        .where('ended_at', 'is not', null)
        .where('next_poll_at', 'is not', null)
        .orderBy('ended_at', 'desc')
        .limit(1);
      const at = sql<
        number | null
      >`coalesce(${youngestFollowed}, ${youngestWaiting}, ${youngestResult})`;
      const row = await db.selectNoFrom(at.as('at')).executeTakeFirst();
      return row?.at ?? undefined;
    },

    /** Ends the backoff of all waiting requests, because the service is available again. */
    async retryWaitingNow(): Promise<void> {
      await updateMany(db, waiting)
        .set({ due_at: nowMs(db) })
        .execute();
    },

    /**
     * Returns the followed run with the next ID. Wraps around after the last. Its request is undefined if it can't be
     * read.
     */
    async next(
      after: string | null,
    ): Promise<{ runId: string; request?: FollowedRequest } | undefined> {
      const row = (await nextAfter(after ?? '')) ?? (await nextAfter(''));
      if (!row) return undefined;
      const [request] = readEach([row], readFollowed, () => undefined);
      return { runId: row.run_id ?? '', ...(request && { request }) };
    },

    /** Returns the followed requests of these runs. */
    async ofRuns(runIds: readonly string[]): Promise<FollowedRequest[]> {
      const found: FollowedRequest[] = [];
      for (const some of batches(runIds.filter(isStorable))) {
        const rows = await followed().selectAll().where('run_id', 'in', some).execute();
        found.push(...rows.map(readFollowed));
      }
      return found;
    },

    async runIds(): Promise<string[]> {
      const rows = await followed().select('run_id').execute();
      return rows.flatMap(({ run_id }) => (run_id === null ? [] : [run_id]));
    },

    /** Makes these runs due for polling. Without IDs, makes all runs of the connection due. */
    async pollNow(runIds?: readonly string[]): Promise<void> {
      const look = (some?: readonly string[]) =>
        updateMany(db, (requests) => {
          const inStep = ours(requests).where('step', '=', 'following');
          return some ? inStep.where('run_id', 'in', some) : inStep;
        })
          .set({ next_poll_at: nowMs(db), due_at: nowMs(db) })
          .execute();
      for (const some of runIds ? batches(runIds) : [undefined]) await look(some);
    },

    /**
     * Stores the problem in followed requests that have none, so that their messages show it. Does nothing if the lease
     * is lost.
     */
    async showProblem(problem: RequestProblem, lease: Lease): Promise<void> {
      await updateMany(db, (requests) =>
        areFollowed(requests).where('problem_json', 'is', null).where(isHeld(lease)),
      )
        .set({ problem_json: JSON.stringify(problem), due_at: nowMs(db) })
        .execute();
    },

    async hideProblem(): Promise<void> {
      await updateMany(db, (requests) =>
        areFollowed(requests).where('problem_json', 'is not', null),
      )
        .set({ problem_json: null, due_at: nowMs(db) })
        .execute();
    },
  };
}

const ofConnection = (requests: Requests, connectionId: string) =>
  requests.where('connection_id', '=', connectionId).where(isOwned('requests'));

const whichAreFollowed = (requests: Requests, connectionId: string) =>
  ofConnection(requests, connectionId)
    // Write this exactly like the condition of the index, so that the database uses the index.
    .where(sql<boolean>`step = 'following'`)
    .where('unfollowed_at', 'is', null);

/** Selects requests that wait to create their run again. */
const whichWait = (requests: Requests, connectionId: string) =>
  ofConnection(requests, connectionId)
    // Write the value into the statement. With a parameter, SQLite would parse the statement again.
    .where(sql<boolean>`step = 'posted'`)
    .where('problem_json', 'is not', null);

/**
 * Returns a condition that is true while the lease is held. After it's lost, another replica may have found the service
 * available.
 */
const isHeld = ({ id, version }: Lease) =>
  sql<boolean>`exists (select 1 from connections c where c.id = ${id} and c.version = ${version})`;

async function deliver(db: Db, connectionId: string, runs: readonly Run[]): Promise<void> {
  const byId = new Map(runs.map((run) => [run.run_id, run]));
  const rows = await db
    .selectFrom('requests')
    .select(['id', 'run_id'])
    .where('run_id', 'in', [...byId.keys()])
    .where('connection_id', '=', connectionId)
    .where('step', 'in', ['following', 'ended'])
    .where(isOwned('requests'))
    .execute();
  const updates = rows.flatMap(({ id, run_id: runId }) => {
    const run = runId === null ? undefined : byId.get(runId);
    return run ? [deliveredRow(id, run)] : [];
  });
  if (updates.length === 0) return;
  // Lock the requests in the order of their IDs, so that two statements can't deadlock.
  const inOrder = isPostgres(db) ? sql`order by requests.id for update of requests` : sql``;
  await sql`
    with delivered(request_id, run_json, pending_json, at) as (values ${sql.join(updates)}),
    changed as (
      select requests.id, delivered.pending_json, delivered.at from requests join delivered on requests.id = delivered.request_id
      where ${isOwned('requests')}
        and requests.pending_update_json is distinct from delivered.pending_json
        and (requests.pending_update_at is null or requests.pending_update_at <= delivered.at)
        and (
          requests.step = 'following'
            and requests.unfollowed_at is null
            and requests.run_json is distinct from delivered.run_json
          or requests.step = 'ended'
            and requests.next_poll_at is not null
            and requests.change_seen_at < delivered.at
        )
      ${inOrder}
    )
    update requests set pending_update_json = changed.pending_json, pending_update_at = changed.at, due_at = ${nowMs(db)}
    from changed where requests.id = changed.id
  `.execute(db);
}

function* batches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += mostAtOnce)
    yield all.slice(from, from + mostAtOnce);
}
