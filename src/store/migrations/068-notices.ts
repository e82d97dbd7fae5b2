import { type Kysely, sql } from 'kysely';

/** What people are told of a request beside its run message, one row for each place. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notices')
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('names_json', 'text', (column) => column.notNull())
    .addColumn('to_channel', 'integer', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('began_at', 'bigint')
    .addColumn('done_at', 'bigint')
    .addPrimaryKeyConstraint('notices_key', ['request_id', 'key'])
    .execute();
  // A reply that an older version had begun may stand: it is looked for before it is posted.
  await sql`
    insert into notices (request_id, key, kind, names_json, to_channel, due_at, began_at)
    select id, 'end thread', 'end', '["' || creator_id || '"]', 0, reply_began_at, reply_began_at
    from requests
    where step = 'ended' and reply_began_at is not null and replied_at is null`.execute(db);
}
