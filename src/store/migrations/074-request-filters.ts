import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * What lists of requests are filtered by stands in columns, and their indexes hold the state too, so that a state is
 * picked out and counted without reading the requests themselves.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = db.schema.alterTable('requests');
  await table.addColumn('environment_id', 'text').execute();
  await table.addColumn('config_name', 'text').execute();
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const asked = (field: string) =>
    isPostgres
      ? sql`(config_json::json) ->> ${sql.lit(field)}`
      : sql`json_extract(config_json, ${sql.lit(`$.${field}`)})`;
  const resolved = (field: string) =>
    isPostgres
      ? sql`(run_json::json) -> 'agent_config' ->> ${sql.lit(field)}`
      : sql`json_extract(run_json, ${sql.lit(`$.agent_config.${field}`)})`;
  // PostgreSQL cannot take this character out of JSON; such a request is found by everything else.
  const readable = (column: string) =>
    sql`replace(coalesce(${sql.ref(column)}, ''), '\\', '/') not like '%/u0000%'`;
  await sql`update requests set
      environment_id = coalesce(${resolved('environment_id')}, ${asked('environment_id')}),
      config_name = coalesce(${resolved('name')}, ${asked('name')})
    where ${readable('config_json')} and ${readable('run_json')}`.execute(db);
  await index('requests_creator_state', ['team_id', 'creator_id', 'accepted_at', 'step']);
  await index('requests_recent_state', ['team_id', 'accepted_at', 'step', 'run_state']);
  await index('requests_environment', ['team_id', 'environment_id', 'accepted_at']);
  await index('requests_config_name', ['team_id', 'config_name', 'accepted_at']);
  // The new ones begin with the same columns.
  await db.schema.dropIndex('requests_creator').execute();
  await db.schema.dropIndex('requests_recent').execute();

  function index(name: string, columns: string[]): Promise<void> {
    return db.schema.createIndex(name).on('requests').columns(columns).execute();
  }
}
