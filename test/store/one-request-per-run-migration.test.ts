import { Kysely, Migrator, sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Db } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations.ts';
import { postgresDialect } from '../../src/store/postgres/postgres.ts';
import { createRequests } from '../../src/store/requests.ts';
import { sqliteDialect } from '../../src/store/sqlite/sqlite.ts';
import { createPostgresDatabase } from '../support/databases.ts';

const before = '097-slimmer-indexes';
const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= before));

it.each([
  ['SQLite', async () => sqliteDialect(':memory:')],
  ['PostgreSQL', async () => postgresDialect(await createPostgresDatabase())],
])('of requests that share a run the first keeps it, on %s', async (_, dialect) => {
  const db: Db = new Kysely({ dialect: await dialect() });
  const migrate = (known: typeof migrations) =>
    new Migrator({ db, provider: { getMigrations: async () => known } }).migrateToLatest();
  await migrate(earlier);
  for (const [id, at, runId] of [
    ['second', 2, 'run-1'],
    ['first', 1, 'run-1'],
    ['other', 3, 'run-2'],
  ] as const)
    await sql`insert into requests (id, team_id, creator_id, channel_id, prompt, title, config_json,
        step, failures, lease_until, accepted_at, run_id)
      values (${id}, 'T1', 'U1', 'C1', 'p', 't', '{}', 'following', 0, 0, ${at}, ${runId})`.execute(
      db,
    );
  expect((await migrate(migrations)).error).toBeUndefined();
  const { find } = createRequests(db);
  expect(await find('first')).toMatchObject({ step: 'following', runId: 'run-1', problem: null });
  expect(await find('other')).toMatchObject({ step: 'following', runId: 'run-2' });
  expect(await find('second')).toMatchObject({
    step: 'ended',
    runId: null,
    problem: { code: 'gone', since: 2 },
  });
  await db.destroy();
});
