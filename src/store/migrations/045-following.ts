import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await addToRequests('version', 'integer', 0);
  await addToRequests('news_json', 'text');
  await addToRequests('news_at', 'bigint');
  await addToRequests('look_at', 'bigint');
  await db.schema
    .createIndex('requests_followed')
    .on('requests')
    .columns(['step', 'accepted_at'])
    .execute();

  await db.schema
    .createIndex('requests_leased')
    .on('requests')
    .columns(['lease_owner', 'lease_until'])
    .execute();

  await db.schema
    .createTable('connections')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('mode_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('watermark', 'bigint')
    .addColumn('next_sweep_at', 'bigint')
    .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('problem_json', 'text')
    .addColumn('told', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable('deliveries')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('deliveries_seen').on('deliveries').column('seen_at').execute();

  /** One column a statement: SQLite adds no more. */
  function addToRequests(name: string, type: 'text' | 'integer' | 'bigint', first?: number) {
    return db.schema
      .alterTable('requests')
      .addColumn(name, type, (column) =>
        first === undefined ? column : column.notNull().defaultTo(first),
      )
      .execute();
  }
}
