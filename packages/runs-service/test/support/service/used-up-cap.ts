import type { Db } from '../../../src/store/schema.ts';

/** Stores a counter of a run on which this amount is spent. */
export async function useUpCap(db: Db, key: string, spent: number): Promise<void> {
  await db
    .insertInto('service_spend')
    .values({ key, period: 'run', spent, reserved: 0, allowed: 0 })
    .execute();
}

/** Returns the amounts that were allowed on a run's counter, by the one who set the caps. */
export async function allowedOf(db: Db, key: string) {
  const row = await db
    .selectFrom('service_spend')
    .selectAll()
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return { operator: row.allowed, caller: row.caller_allowed };
}
