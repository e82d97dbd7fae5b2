import { Kysely, Migrator, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations.ts';
import { postgresDialect } from '../../src/store/postgres.ts';
import { sqliteDialect } from '../../src/store/sqlite.ts';
import { createPostgresDatabase } from '../support/databases.ts';

const before = '073-run-creators';
const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= before));

const requests: [id: string, config: object, run: object | null][] = [
  ['asked', { environment_id: 'shop', name: 'it’s "quoted"' }, null],
  ['resolved', { environment_id: 'shop' }, { agent_config: { environment_id: 'shop-2' } }],
  ['nothing', {}, { agent_config: null }],
  ['unreadable', { environment_id: 'a\u0000b' }, null],
];

describe('requests of an earlier version', () => {
  it.each([
    ['SQLite', async () => sqliteDialect(':memory:')],
    ['PostgreSQL', async () => postgresDialect(await createPostgresDatabase())],
  ])('are found by environment and name afterwards, on %s', async (_, dialect) => {
    const db: Db = new Kysely({ dialect: await dialect() });
    const migrate = (known: typeof migrations) =>
      new Migrator({ db, provider: { getMigrations: async () => known } }).migrateToLatest();
    await migrate(earlier);
    for (const [id, config, run] of requests) {
      await sql`insert into requests (id, team_id, creator_id, channel_id, prompt, title, config_json,
          run_json, step, failures, lease_until, accepted_at)
        values (${id}, 'T1', 'U1', 'C1', 'count', 'Count', ${JSON.stringify(config)},
          ${run && JSON.stringify(run)}, 'ended', 0, 0, 1)`.execute(db);
    }
    expect((await migrate(migrations)).error).toBeUndefined();
    const rows = await db
      .selectFrom('requests')
      .select(['id', 'environment_id', 'config_name'])
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { id: 'asked', environment_id: 'shop', config_name: 'it’s "quoted"' },
      { id: 'nothing', environment_id: null, config_name: null },
      { id: 'resolved', environment_id: 'shop-2', config_name: null },
      { id: 'unreadable', environment_id: null, config_name: null },
    ]);
    await db.destroy();
  });
});
