import { type Kysely, sql } from 'kysely';
import { runSchema } from '../../runs-api/contract.ts';
import type { DatabaseSchema } from '../schema.ts';
import { linkColumn } from '../session-links.ts';

const rowsAtOnce = 500;

/** Requests are found by the link to their session, and by the message that shows them. */
export async function up(db: Kysely<DatabaseSchema>): Promise<void> {
  await db.schema.alterTable('requests').addColumn('session_link', 'text').execute();
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('requests')
      .select(['id', 'run_json'])
      .where('id', '>', after)
      .where('run_json', 'is not', null)
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute();
    for (const { id, run_json: json } of rows) {
      const link = linkColumn(runSchema.safeParse(JSON.parse(json ?? 'null')).data?.session_link);
      if (!link) continue;
      await sql`update requests set session_link = ${link} where id = ${id}`.execute(db);
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  await index('requests_session', ['session_link']);
  await index('requests_message', ['message_channel_id', 'message_ts']);

  function index(name: string, columns: string[]): Promise<void> {
    return db.schema.createIndex(name).on('requests').columns(columns).execute();
  }
}
