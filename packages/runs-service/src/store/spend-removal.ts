import { sql } from 'kysely';
import type { Db } from './schema.ts';
import { contains } from './spend.ts';

/** Name that replaces a deleted person in model calls. Their costs still count for channels and workspaces. */
const deletedPerson = 'deleted';

/** Time after which the calls of all caps' current periods have started, in ms. Months are the longest periods. */
const neededMs = 35 * 24 * 60 * 60_000;

/**
 * Deletes the model calls of deleted runs that started before a time, and ended counters. Keeps calls that current
 * counters may need. Returns the number of deleted calls.
 */
export async function removeOldSpending(db: Db, before: number): Promise<number> {
  const time = Math.min(before, Date.now() - neededMs);
  const removed = await db
    .deleteFrom('service_model_calls')
    .where('started_at', '<', time)
    .where('ended_at', 'is not', null)
    .where('run_id', 'not in', ({ selectFrom }) => selectFrom('service_runs').select('id'))
    .executeTakeFirst();
  await db.deleteFrom('service_spend').where('ends_at', '<', time).execute();
  return Number(removed.numDeletedRows);
}

/** Removes a person from model calls, and deletes the person's counters. */
export async function forgetSpender(db: Db, person: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const rows = await trx
      .selectFrom('service_model_calls')
      .select('workspace')
      .distinct()
      .where('workspace', 'is not', null)
      .execute();
    const labels = [person, ...rows.map(({ workspace }) => `${workspace}/${person}`)];
    // In counters of one key owner, the person comes first or is that owner, see `apartKey`.
    const parts = [
      ...labels.map((label) => [`"person:${label}"`, `"person:${deletedPerson}"`] as const),
      [`"own:person:${person}/`, `"own:person:${deletedPerson}/`] as const,
      [`/user ${person}"`, `/user ${deletedPerson}"`] as const,
    ];
    const keys = sql.ref('spend_keys_json');
    const quotedKey = sql`'"' || key || '"'`;
    for (const [part, replacement] of parts) {
      await trx
        .updateTable('service_model_calls')
        .set({ spend_keys_json: sql`replace(${keys}, ${part}, ${replacement})` })
        .where(contains(trx, keys, part))
        .execute();
      await trx
        .deleteFrom('service_spend')
        .where(contains(trx, quotedKey, part))
        .execute();
    }
    await trx
      .updateTable('service_model_calls')
      .set({ person: deletedPerson })
      .where('person', '=', person)
      .execute();
  });
}
