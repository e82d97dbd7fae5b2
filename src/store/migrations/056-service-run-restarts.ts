import type { Kysely } from 'kysely';

/** How often a run was begun anew because its process was gone; bounded, so that no run brings the service down for ever. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('service_runs')
    .addColumn('restarts', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
