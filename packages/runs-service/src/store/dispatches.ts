import { Secret } from 'base/encryption/secret';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { changeRun, type RunUpdate } from './run-changes.ts';
import { activeStates } from './runs.ts';
import type { Db, DispatchesTable } from './schema.ts';

export type StoredDispatch = Selectable<DispatchesTable>;

type NewAttempt = {
  token: string;
  tokenHash: string;
  modelTokenHash: string;
  isStopped?: boolean;
};

/**
 * Returns the ID of the run whose current attempt has this model token. Undefined if no process executes the attempt,
 * the attempt has reported an end, or the run has ended.
 */
async function runOfModelToken(db: Db, hash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('service_dispatches as d')
    .innerJoin('service_runs as r', 'r.id', 'd.run_id')
    .select('d.run_id')
    .where('d.model_token_hash', '=', hash)
    .where('d.worker', 'is not', null)
    .where('d.end_json', 'is', null)
    .where('r.state', 'in', activeStates)
    .executeTakeFirst();
  return row?.run_id;
}

/** Creates the store for the newest attempt of each remote run. */
export function createDispatches(db: Db) {
  const ofWorker = (runId: string, worker: string) =>
    db.updateTable('service_dispatches').where('run_id', '=', runId).where('worker', '=', worker);

  return {
    /**
     * Begins an attempt. Does nothing if this attempt or a later one has begun, or if the previous attempt has reported
     * an end.
     * @param isStopped true if the previous attempt was stopped from outside, so that the run is restarted
     */
    async begin(
      runId: string,
      attempt: number,
      { token, tokenHash, modelTokenHash, isStopped = false }: NewAttempt,
    ): Promise<void> {
      const canFollow = isStopped
        ? sql<SqlBool>`1 = 1`
        : sql<SqlBool>`service_dispatches.end_json is null`;
      const columns = {
        attempt,
        token: new Secret('token', runId, token),
        token_hash: tokenHash,
        model_token_hash: modelTokenHash,
        dispatched_at: null,
        worker: null,
        reported_at: null,
        events: 0,
        end_json: null,
      };
      await db
        .insertInto('service_dispatches')
        .values({ run_id: runId, ...columns })
        .onConflict((conflict) =>
          conflict
            .column('run_id')
            .doUpdateSet(columns)
            .where('service_dispatches.attempt', '=', attempt - 1)
            .where(canFollow),
        )
        .execute();
    },

    async of(runIds: readonly string[]): Promise<StoredDispatch[]> {
      if (runIds.length === 0) return [];
      return db
        .selectFrom('service_dispatches')
        .selectAll()
        .where('run_id', 'in', runIds)
        .execute();
    },

    runOfModelToken: (hash: string) => runOfModelToken(db, hash),

    /** Records that the runner accepted the attempt. */
    async accepted(runId: string, attempt: number): Promise<void> {
      await db
        .updateTable('service_dispatches')
        .set({ dispatched_at: Date.now() })
        .where('run_id', '=', runId)
        .where('attempt', '=', attempt)
        .execute();
    },

    /**
     * Lets only this process report about the run. Returns false if another process can already report, or the token is
     * wrong. Can be repeated.
     */
    async claim(runId: string, tokenHash: string, worker: string): Promise<boolean> {
      const claimed = await db
        .updateTable('service_dispatches')
        .set({ worker, token: null, reported_at: Date.now() })
        .where('run_id', '=', runId)
        .where('token_hash', '=', tokenHash)
        .where((either) => either.or([either('worker', 'is', null), either('worker', '=', worker)]))
        .executeTakeFirst();
      return claimed.numUpdatedRows === 1n;
    },

    async noteReport(runId: string, worker: string): Promise<void> {
      await ofWorker(runId, worker).set({ reported_at: Date.now() }).execute();
    },

    /**
     * Applies one of the worker's events once, even if the event is sent again. Returns false if the event isn't the
     * next one.
     */
    async apply(
      runId: string,
      worker: string,
      { number, update }: { number: number; update: RunUpdate },
    ): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        const next = await trx
          .updateTable('service_dispatches')
          .set({ events: sql`events + 1` })
          .where('run_id', '=', runId)
          .where('worker', '=', worker)
          .where('events', '=', number)
          .executeTakeFirst();
        if (next.numUpdatedRows !== 1n) return false;
        await changeRun(trx, runId, { from: activeStates }, update);
        return true;
      });
    },

    /** Stores the end that the worker reported. Keeps the first end if the worker reports several. */
    async end(runId: string, worker: string, endJson: string): Promise<void> {
      await ofWorker(runId, worker)
        .set({ end_json: new Secret('end_json', runId, endJson) })
        .where('end_json', 'is', null)
        .execute();
    },
  };
}
export type Dispatches = ReturnType<typeof createDispatches>;
