import { isPostgres } from 'base/database/clock';
import { sql, type Transaction } from 'kysely';
import { memoryId } from './kept-conversations.ts';
import type { DatabaseSchema, Db } from './schema.ts';

type Trx = Transaction<DatabaseSchema>;

const tables = [
  'service_run_changes',
  'service_run_metadata',
  'service_run_followups',
  'service_run_questions',
  'service_run_attachments',
  'service_run_progress',
  'service_dispatches',
  'service_published_runs',
  'service_artifacts',
] as const;

/** IDs of the deleted runs, and the names of their stored files. */
type RemovedRuns = { runIds: string[]; contentNames: string[] };

/**
 * Deletes ended runs with all their data in the database. Active runs stay. Model calls stay too, because the caps of
 * persons, channels and workspaces count them.
 */
export function createRunRemoval(db: Db) {
  const ended = () => db.selectFrom('service_runs').select('id').where('ended_at', 'is not', null);

  async function ids(query: ReturnType<typeof ended>): Promise<string[]> {
    return (await query.execute()).map(({ id }) => id);
  }

  return {
    /** Lists ended runs that haven't changed since `time`, oldest first. */
    unchangedSince: (time: number, limit: number) =>
      ids(ended().where('updated_at', '<', time).orderBy('updated_at').limit(limit)),

    ofCreator: (uid: string, limit: number) =>
      ids(ended().where('creator_uid', '=', uid).limit(limit)),

    remove: (runIds: readonly string[]): Promise<RemovedRuns> =>
      db.transaction().execute(async (trx) => {
        const rows = await trx
          .selectFrom('service_runs')
          .select(['id', 'number', 'search_text', 'conversation_id', 'environment_id'])
          .where('id', 'in', runIds)
          .where('ended_at', 'is not', null)
          .execute();
        const removed = rows.map(({ id }) => id);
        if (removed.length === 0) return { runIds: [], contentNames: [] };
        const contentNames = await namesOfContents(trx, removed);
        for (const table of tables)
          await trx.deleteFrom(table).where('run_id', 'in', removed).execute();
        const counters = removed.map((id) => `run:${id}`);
        await trx.deleteFrom('service_spend').where('key', 'in', counters).execute();
        if (!isPostgres(trx)) for (const row of rows) await removeText(trx, row);
        await trx.deleteFrom('service_runs').where('id', 'in', removed).execute();
        await removeConversations(trx, rows);
        return { runIds: removed, contentNames };
      }),
  };
}
export type RunRemoval = ReturnType<typeof createRunRemoval>;

async function namesOfContents(trx: Trx, runIds: readonly string[]): Promise<string[]> {
  const rows = await trx
    .selectFrom('service_artifacts')
    .select(['uid', 'data_json'])
    .where('run_id', 'in', runIds)
    .execute();
  return rows.flatMap(({ data_json: json }) => {
    const { file } = JSON.parse(json) as { file?: { contentName: string } };
    return file ? [file.contentName] : [];
  });
}

/** Removes a run's text from the text index. The index doesn't store texts, so the statement must contain the text. */
async function removeText(
  trx: Trx,
  { number, search_text: text }: { number: number | null; search_text: string },
): Promise<void> {
  await sql`insert into service_run_texts (service_run_texts, rowid, search_text)
    values ('delete', ${number}, ${text})`.execute(trx);
}

/** Deletes the publications and agents' memories of conversations that have no run left. */
async function removeConversations(
  trx: Trx,
  rows: readonly { conversation_id: string; environment_id: string }[],
): Promise<void> {
  const ids = rows.map(({ conversation_id: id }) => id);
  const others = await trx
    .selectFrom('service_runs')
    .select('conversation_id')
    .where('conversation_id', 'in', ids)
    .execute();
  const going = new Set(others.map(({ conversation_id: id }) => id));
  const gone = rows.filter(({ conversation_id: id }) => !going.has(id));
  if (gone.length === 0) return;
  await trx
    .deleteFrom('service_publications')
    .where('conversation_id', 'in', [...new Set(gone.map((row) => row.conversation_id))])
    .execute();
  const memories = gone.map((row) => memoryId(row.conversation_id, row.environment_id));
  await trx.deleteFrom('service_conversations').where('id', 'in', memories).execute();
}
