import { isPostgres, nowMs } from 'base/database/clock';
import { type Selectable, sql } from 'kysely';
import type { CallOutcome } from './call-outcome.ts';
import { readRunUsage } from './run-usage.ts';
import { activeStates } from './runs.ts';
import type { Db, ModelCallsTable } from './schema.ts';
import {
  addToCounters,
  capState,
  createCounters,
  lockCounters,
  lockKeys,
  readCapStates,
  type WantedCounter,
} from './spend.ts';
import { type CapState, isUsedUp, type SpendCap, tightestOf } from './spend-cap.ts';
import { createFindPeriod, type FindPeriod } from './spend-period.ts';

export type StoredModelCall = Selectable<ModelCallsTable>;

/** A call that is about to be sent to its provider. */
export type NewModelCall = {
  id: string;
  runId: string;
  environmentId: string;
  labels: { workspace: string | undefined; person: string; channel: string | undefined };
  /** Keys of all counters that the call belongs to, including those of caps that other runs have. */
  spendKeys: readonly string[];
  provider: string;
  api: string;
  model: string;
  requestBytes: number;
  /** Amount to reserve. A call reserves more if the run's previous call with this model cost more. */
  estimateMicros: number;
  /** Process that makes the call, and the duration of its lease. `renew` extends the lease. */
  owner: string;
  leaseMs: number;
};

/** Facts about a call that has ended. A member that is undefined wasn't reported. */
export type SettledCall = {
  outcome: CallOutcome;
  status: number;
  servedModel: string | undefined;
  usage:
    | { input: number; output: number; cacheRead: number; cacheWrite: number; reasoning: number }
    | undefined;
  /** Price, rounded up. Undefined if it's unknown. The call then costs what was reserved. */
  priceMicros: number | undefined;
  priceEntry: string | undefined;
  /** True if the price isn't based on a complete report. The call then costs at least what was reserved. */
  isEstimated: boolean;
  firstByteAt: number | undefined;
  responseBytes: number;
  upstreamId: string | undefined;
};

/** Facts about a call that cost nothing. */
export type ReleasedCall = Pick<SettledCall, 'outcome' | 'status'> &
  Partial<Pick<SettledCall, 'upstreamId'>>;

/**
 * `over`: a cap is used up, so a person has to allow more. `busy`: calls in progress have reserved the rest of the cap.
 * Try again when one of them has ended. `ended`: the run isn't active.
 */
export type Reservation =
  | { outcome: 'reserved' }
  | { outcome: 'over' | 'busy'; state: CapState }
  | { outcome: 'stopped'; message: string }
  | { outcome: 'ended' };

/** Max attempts to find all counters. Each attempt creates those that are missing. */
const maxAttempts = 5;

/** Creates the store for model calls. It counts their cost and compares it with the caps of their runs. */
export function createModelCalls(db: Db) {
  const findPeriod = createFindPeriod();
  return {
    /** Stores a call and reserves its cost in all its counters, unless a cap is used up or the run can't spend. */
    async reserve(call: NewModelCall, caps: readonly SpendCap[]): Promise<Reservation> {
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        const tried = await tryReserve(db, call, caps, findPeriod);
        if (!('missing' in tried)) return tried;
        await createCounters(db, tried.missing);
      }
      throw new Error(`The counters of the run ${call.runId} could not be created.`);
    },

    /**
     * Stores the result and the price of a call. Has an effect once. A call that was settled as lost, because its
     * process was paused for too long, gets its real price.
     */
    settle: (id: string, owner: string, settled: SettledCall): Promise<void> =>
      end(db, id, owner, (reserved) => {
        const { usage, priceMicros, isEstimated } = settled;
        const isGuess = isEstimated || priceMicros === undefined;
        return {
          outcome: settled.outcome,
          status: settled.status,
          served_model: settled.servedModel ?? null,
          input_tokens: usage?.input ?? null,
          output_tokens: usage?.output ?? null,
          cache_read_tokens: usage?.cacheRead ?? null,
          cache_write_tokens: usage?.cacheWrite ?? null,
          reasoning_tokens: usage?.reasoning ?? null,
          price_micros: isGuess ? Math.max(priceMicros ?? 0, reserved) : priceMicros,
          price_entry: settled.priceEntry ?? null,
          estimated: isGuess ? 1 : 0,
          first_byte_at: settled.firstByteAt ?? null,
          response_bytes: settled.responseBytes,
          upstream_id: settled.upstreamId ?? null,
        };
      }),

    /** Ends a call that cost nothing, because the provider rejected it or never got it. Has an effect once. */
    release: (id: string, owner: string, released: ReleasedCall): Promise<void> =>
      end(db, id, owner, () => ({
        status: released.status,
        outcome: released.outcome,
        price_micros: 0,
        estimated: 0,
        upstream_id: released.upstreamId ?? null,
      })),

    /** Extends the leases of these calls, which the process is making. */
    async renew(owner: string, ids: readonly string[], forMs: number): Promise<void> {
      if (ids.length === 0) return;
      const owned = db
        .selectFrom('service_model_calls')
        .select('id')
        .where('id', 'in', ids)
        .where('lease_owner', '=', owner)
        .where('ended_at', 'is', null);
      // Locks rows in the order of their IDs, because two statements that lock them in different orders can deadlock.
      const locked = isPostgres(db) ? owned.orderBy('id').forUpdate() : owned;
      await db
        .updateTable('service_model_calls')
        .set({ lease_until: leaseUntil(db, forMs) })
        .where('id', 'in', locked)
        .execute();
    },

    /**
     * Settles calls whose process is gone. The provider has probably billed them, so their reservation counts as spent.
     * Returns the IDs of their runs.
     * @param crashedOwner process that certainly has ended, even if its leases haven't
     */
    async settleLost(crashedOwner?: string): Promise<string[]> {
      const lost = await db
        .selectFrom('service_model_calls')
        .select(['id', 'run_id'])
        .where('ended_at', 'is', null)
        .where((either) =>
          either.or([
            either('lease_until', '<', nowMs(db)),
            ...(crashedOwner === undefined ? [] : [either('lease_owner', '=', crashedOwner)]),
          ]),
        )
        .execute();
      const runIds = new Set<string>();
      for (const { id, run_id: runId } of lost)
        if (await endLost(db, id, crashedOwner)) runIds.add(runId);
      return [...runIds];
    },

    /** Lists the calls of a run, oldest first. */
    ofRun: (runId: string): Promise<StoredModelCall[]> =>
      db
        .selectFrom('service_model_calls')
        .selectAll()
        .where('run_id', '=', runId)
        .orderBy('started_at')
        .orderBy('id')
        .execute(),

    /** Returns cost and tokens of a run's ended calls, and the state of the cap that is closest to its limit. */
    async usageOfRun(runId: string, caps: readonly SpendCap[]) {
      const states = await readCapStates(db, caps, await databaseTime(db), findPeriod);
      return readRunUsage(db, runId, tightestOf(states));
    },

    async statesOf(caps: readonly SpendCap[]): Promise<CapState[]> {
      return readCapStates(db, caps, await databaseTime(db), findPeriod);
    },
  };
}
export type ModelCalls = ReturnType<typeof createModelCalls>;

const leaseUntil = (db: Db, forMs: number) => sql<number>`${nowMs(db)} + ${sql.lit(forMs)}`;

/** Returns the database's clock, because replicas must agree on the period of a call. */
async function databaseTime(db: Db): Promise<number> {
  const { now } = await db.selectNoFrom(nowMs(db).as('now')).executeTakeFirstOrThrow();
  return now;
}

/**
 * Reserves the cost of a call in one transaction. Transactions lock in this order, so that they can't deadlock: the run,
 * the keys, the counters.
 */
async function tryReserve(
  db: Db,
  call: NewModelCall,
  caps: readonly SpendCap[],
  findPeriod: FindPeriod,
): Promise<Reservation | { missing: WantedCounter[] }> {
  return db.transaction().execute(async (trx) => {
    const run = await readRun(trx, call);
    if (!run || !activeStates.includes(run.state)) return { outcome: 'ended' };
    if (run.spend_stopped !== null) return { outcome: 'stopped', message: run.spend_stopped };
    const keys = [...new Set([...call.spendKeys, ...caps.map(({ key }) => key)])].sort();
    await lockKeys(trx, keys, 'shared');
    const counters = await lockCounters(trx, keys, run.now);
    const missing: WantedCounter[] = [];
    const states: CapState[] = [];
    for (const cap of caps) {
      const period = findPeriod(cap, run.now);
      const counter = counters.find(
        ({ key, period: name }) => key === cap.key && name === period.name,
      );
      if (counter) states.push(capState(cap, period, counter));
      else missing.push({ key: cap.key, period });
    }
    if (missing.length > 0) return { missing };
    const state = tightestOf(states.filter(isUsedUp));
    if (state) {
      const isSpent = isUsedUp({ ...state, reserved: 0 });
      return { outcome: isSpent ? 'over' : 'busy', state };
    }
    const reserved = Math.max(1, Math.ceil(Math.max(run.previousMicros ?? 0, call.estimateMicros)));
    if (counters.length > 0) {
      const at = { keys, startedAt: run.now };
      await addToCounters(trx, at, { spent: 0, reserved });
    }
    await insertCall(trx, { call, keys, startedAt: run.now, reserved });
    return { outcome: 'reserved' };
  });
}

/** Reads the run of a call, and the price of its previous call with the same model. The run can't end meanwhile. */
function readRun(trx: Db, { runId, model }: NewModelCall) {
  return trx
    .selectFrom('service_runs as run')
    .select(({ selectFrom }) => [
      'run.state',
      'run.spend_stopped',
      nowMs(trx).as('now'),
      selectFrom('service_model_calls')
        .select('price_micros')
        .where('run_id', '=', runId)
        .where('model', '=', model)
        .where('outcome', 'in', ['completed', 'cut', 'canceled'] satisfies CallOutcome[])
        .orderBy('started_at', 'desc')
        .limit(1)
        .as('previousMicros'),
    ])
    .where('run.id', '=', runId)
    .$if(isPostgres(trx), (query) => query.forShare('run'))
    .executeTakeFirst();
}

async function insertCall(
  trx: Db,
  {
    call,
    keys,
    startedAt,
    reserved,
  }: { call: NewModelCall; keys: string[]; startedAt: number; reserved: number },
): Promise<void> {
  await trx
    .insertInto('service_model_calls')
    .values({
      id: call.id,
      run_id: call.runId,
      environment_id: call.environmentId,
      workspace: call.labels.workspace ?? null,
      person: call.labels.person,
      channel: call.labels.channel ?? null,
      provider: call.provider,
      api: call.api,
      model: call.model,
      started_at: startedAt,
      reserved_micros: reserved,
      request_bytes: call.requestBytes,
      spend_keys_json: JSON.stringify(keys),
      lease_owner: call.owner,
      lease_until: leaseUntil(trx, call.leaseMs),
    })
    .execute();
}

type EndColumns = Partial<
  Omit<StoredModelCall, 'id' | 'run_id' | 'started_at' | 'ended_at' | 'reserved_micros'>
> & { price_micros: number; outcome: CallOutcome };

/** Ends a call of this process. A call that counts as lost ends a second time, with its real price. */
async function end(
  db: Db,
  id: string,
  owner: string,
  columnsOf: (reservedMicros: number) => EndColumns,
): Promise<void> {
  await endOnce(db, id, (call) => {
    const isOpen = call.ended_at === null || call.outcome === 'lost';
    return isOpen && call.lease_owner === owner ? columnsOf(call.reserved_micros) : undefined;
  });
}

/** Ends a call whose process is gone, unless the process has renewed its lease. Returns true if it did. */
function endLost(db: Db, id: string, crashedOwner: string | undefined): Promise<boolean> {
  return endOnce(db, id, (call) => {
    const isLost = call.lease_owner === crashedOwner || (call.lease_until ?? 0) < call.now;
    if (call.ended_at !== null || !isLost) return undefined;
    return { outcome: 'lost', price_micros: call.reserved_micros, estimated: 1 };
  });
}

type CallWithTime = StoredModelCall & { now: number };

/**
 * Ends a call and moves its cost from reserved to spent in all its counters.
 * @param columnsOf returns undefined if the call can't end. The call is then unchanged
 */
function endOnce(
  db: Db,
  id: string,
  columnsOf: (call: CallWithTime) => EndColumns | undefined,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const read = () =>
      trx
        .selectFrom('service_model_calls')
        .selectAll()
        .select(nowMs(trx).as('now'))
        .where('id', '=', id);
    const known = await read().executeTakeFirst();
    if (!known) return false;
    const keys: string[] = JSON.parse(known.spend_keys_json);
    await lockKeys(trx, keys, 'shared');
    const call = await read()
      .$if(isPostgres(trx), (query) => query.forUpdate())
      .executeTakeFirstOrThrow();
    const columns = columnsOf(call);
    if (!columns) return false;
    await trx
      .updateTable('service_model_calls')
      .set({ ...columns, ended_at: Math.max(call.started_at, call.now) })
      .where('id', '=', id)
      .execute();
    const counters = await lockCounters(trx, keys, call.started_at);
    if (counters.length === 0) return true;
    await addToCounters(
      trx,
      { keys, startedAt: call.started_at },
      {
        spent: columns.price_micros - (call.price_micros ?? 0),
        reserved: call.ended_at === null ? -call.reserved_micros : 0,
      },
    );
    return true;
  });
}
