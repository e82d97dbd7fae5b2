import { type Kysely, sql } from 'kysely';

/** One row that whoever claims a run writes first: so services that share a database claim one after the other. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('service_queue')
    .addColumn('claims', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into service_queue (claims) values (0)`.execute(db);
}
