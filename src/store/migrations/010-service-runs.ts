import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createRuns(db);
  await db.schema
    .createTable('service_run_changes')
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .addColumn('until_at', 'bigint')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('note', 'text')
    .addPrimaryKeyConstraint('service_run_changes_pk', ['run_id', 'changed_at'])
    .execute();
  await db.schema
    .createTable('service_run_metadata')
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('service_run_metadata_pk', ['run_id', 'key'])
    .execute();
  await db.schema
    .createTable('service_run_followups')
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('taken_at', 'bigint')
    .addPrimaryKeyConstraint('service_run_followups_pk', ['run_id', 'number'])
    .execute();
  await createIndexes(db);
}

async function createRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('service_runs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('session_token', 'text', (column) => column.notNull().unique())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('prompt', 'text', (column) => column.notNull())
    .addColumn('search_text', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('status_json', 'text')
    .addColumn('config_json', 'text', (column) => column.notNull())
    .addColumn('config_name', 'text')
    .addColumn('model_id', 'text')
    .addColumn('environment_id', 'text', (column) => column.notNull())
    .addColumn('skill_spec', 'text')
    .addColumn('creator_json', 'text', (column) => column.notNull())
    .addColumn('creator_uid', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('conversation_id', 'text', (column) => column.notNull())
    .addColumn('idempotency_key', 'text', (column) => column.unique())
    .addColumn('request_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('cancel_requested', 'integer', (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'bigint')
    .execute();
}

/** A list page is a walk along one index from a known place: sorting first, then each filter followed by the sorting. */
async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const ways = [
    ['updated_at', 'id'],
    ['created_at', 'id'],
    ['title', 'id'],
    ['state', 'updated_at', 'id'],
    ['state', 'creator_uid', 'environment_id', 'created_at'],
    ['creator_uid', 'updated_at', 'id'],
    ['environment_id', 'updated_at', 'id'],
    ['config_name', 'updated_at', 'id'],
    ['model_id', 'updated_at', 'id'],
    ['source', 'updated_at', 'id'],
    ['skill_spec', 'updated_at', 'id'],
    ['conversation_id', 'created_at'],
  ];
  for (const columns of ways) {
    await db.schema
      .createIndex(`service_runs_by_${columns.join('_')}`)
      .on('service_runs')
      .columns(columns)
      .execute();
  }
  await db.schema
    .createIndex('service_run_changes_by_until_at')
    .on('service_run_changes')
    .column('until_at')
    .execute();
  await db.schema
    .createIndex('service_run_metadata_by_value')
    .on('service_run_metadata')
    .columns(['key', 'value', 'run_id'])
    .execute();
}
