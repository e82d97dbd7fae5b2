import { isPostgres } from 'base/database/clock';
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Db, SpendTable } from './schema.ts';
import type { CapState, SpendCap } from './spend-cap.ts';
import type { FindPeriod, SpendPeriod } from './spend-period.ts';

export type WantedCounter = { key: string; period: SpendPeriod };

/**
 * Locks keys until the transaction ends. Changes of calls share the lock. Creating a counter excludes them, because it
 * adds up all calls with its key. SQLite needs no lock, because only one transaction can write at a time.
 */
export async function lockKeys(
  trx: Db,
  keys: readonly string[],
  mode: 'shared' | 'exclusive',
): Promise<void> {
  if (!isPostgres(trx) || keys.length === 0) return;
  const lock = sql.raw(
    mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock',
  );
  // All transactions lock in the order of the hashes, so that they can't deadlock.
  await sql`select ${lock}(hash) from (
    select distinct hashtextextended('spend ' || key, 0) as hash from unnest(${sql.val([...keys])}::text[]) as key
    order by hash
  ) as hashes`.execute(trx);
}

/** Reads the counters of these keys whose period contains a time. Locks them in the order of their keys. */
export async function lockCounters(trx: Db, keys: readonly string[], at: number) {
  return trx
    .selectFrom('service_spend')
    .selectAll()
    .where('key', 'in', keys)
    .where('starts_at', '<=', at)
    .where('ends_at', '>', at)
    .orderBy('key')
    .orderBy('period')
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
}

/** Adds amounts to all counters that contain a call. The caller has locked the counters. */
export async function addToCounters(
  trx: Db,
  { keys, startedAt }: { keys: readonly string[]; startedAt: number },
  change: { spent: number; reserved: number },
): Promise<void> {
  await trx
    .updateTable('service_spend')
    .set({
      spent: sql`spent + ${sql.lit(change.spent)}`,
      reserved: sql`reserved + ${sql.lit(change.reserved)}`,
    })
    .where('key', 'in', keys)
    .where('starts_at', '<=', startedAt)
    .where('ends_at', '>', startedAt)
    .execute();
}

/** Creates counters that start with the sum of the calls so far. So a new cap includes what was spent before it. */
export async function createCounters(db: Db, wanted: readonly WantedCounter[]): Promise<void> {
  const keys = wanted.map(({ key }) => key);
  await db.transaction().execute(async (trx) => {
    await lockKeys(trx, keys, 'exclusive');
    for (const { key, period } of wanted) {
      const sums = await sumCalls(trx, key, period);
      await trx
        .insertInto('service_spend')
        .values({
          key,
          period: period.name,
          starts_at: period.startsAt,
          ends_at: period.endsAt,
          ...sums,
          allowed: 0,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
}

/** Returns the condition for model calls with a key. */
const hasKey = (db: Db, key: string) =>
  contains(db, sql.ref('spend_keys_json'), JSON.stringify(key));

/** Returns the condition for texts that contain another text. */
export const contains = (db: Db, text: RawBuilder<unknown>, part: string) =>
  isPostgres(db)
    ? sql<SqlBool>`strpos(${text}, ${part}) > 0`
    : sql<SqlBool>`instr(${text}, ${part}) > 0`;

/** Adds up the calls with a key that started in a period. */
async function sumCalls(db: Db, key: string, { startsAt, endsAt }: SpendPeriod) {
  const runId = /^run:(.+)/.exec(key)?.[1];
  const row = await db
    .selectFrom('service_model_calls')
    .select([
      sql<number>`cast(coalesce(sum(price_micros), 0) as bigint)`.as('spent'),
      sql<number>`cast(coalesce(sum(case when ended_at is null then reserved_micros end), 0) as bigint)`.as(
        'reserved',
      ),
    ])
    .where('started_at', '>=', startsAt)
    .where('started_at', '<', endsAt)
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId ?? ''))
    .$if(runId === undefined, (query) => query.where(hasKey(db, key)))
    .executeTakeFirstOrThrow();
  return { spent: row.spent, reserved: row.reserved };
}

/** Returns the states of caps at a time. A cap without a counter gets the sum of the calls so far. */
export async function readCapStates(
  db: Db,
  caps: readonly SpendCap[],
  at: number,
  findPeriod: FindPeriod,
): Promise<CapState[]> {
  if (caps.length === 0) return [];
  const keys = caps.map(({ key }) => key);
  const rows = await db
    .selectFrom('service_spend')
    .selectAll()
    .where('key', 'in', keys)
    .where('starts_at', '<=', at)
    .where('ends_at', '>', at)
    .execute();
  const states: CapState[] = [];
  for (const cap of caps) {
    const period = findPeriod(cap, at);
    const row = rows.find(({ key, period: name }) => key === cap.key && name === period.name);
    const counter = row ?? {
      ...(await sumCalls(db, cap.key, period)),
      allowed: 0,
      caller_allowed: 0,
    };
    states.push(capState(cap, period, counter));
  }
  return states;
}

/** Returns the state of a cap with its counter. Amounts that callers allowed don't raise the caps of operators. */
export function capState(
  cap: SpendCap,
  period: SpendPeriod,
  counter: Pick<Selectable<SpendTable>, 'spent' | 'reserved' | 'allowed' | 'caller_allowed'>,
): CapState {
  return {
    cap,
    period: period.name,
    resetsAt: cap.per === 'run' ? null : period.endsAt,
    spent: counter.spent,
    reserved: counter.reserved,
    allowed: cap.setBy === 'operator' ? counter.allowed : counter.caller_allowed,
  };
}
