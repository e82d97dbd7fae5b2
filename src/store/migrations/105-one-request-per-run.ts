import { type Kysely, sql } from 'kysely';

/** Identical requests may have taken the same run: the first keeps it, the run of the others is no longer known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update requests set run_id = null, step = 'ended', ended_at = accepted_at,
      problem_json = '{"code":"gone","message":"","since":' || accepted_at || '}'
    where run_id is not null and exists (
      select 1 from requests as first where first.run_id = requests.run_id
        and (first.accepted_at < requests.accepted_at
          or (first.accepted_at = requests.accepted_at and first.id < requests.id)))
  `.execute(db);
  await db.schema.dropIndex('requests_run').execute();
  await db.schema
    .createIndex('requests_run')
    .unique()
    .on('requests')
    .column('run_id')
    .where('run_id', 'is not', null)
    .execute();
}
