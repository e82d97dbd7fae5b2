import { CompiledQuery, Kysely, type LogEvent, sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createConnections } from '../../../src/store/following/connections.ts';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { postgresDialect } from '../../../src/store/postgres/postgres.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import type { Db } from '../../../src/store/schema.ts';
import { sqliteDialect } from '../../../src/store/sqlite/sqlite.ts';
import { aRun } from '../../support/builders.ts';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { fillEncrypted, openTestDatabase, withTestKey } from '../../support/database/test-key.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

const followedRuns = 100_000;
/** SQLite has no statistics here, so its plans don't depend on the number of rows. */
const followedOnSqlite = 2_000;
/** Far more than any of these statements has a reason to read, far less than all. */
const mostRows = 2_000;

/** What a follower asks of the store between two waits. */
async function askAll(db: Db): Promise<void> {
  const leases = createRequestLeases(db);
  const followed = createFollowedRunsStore(db);
  const connections = createConnections(db);
  await connections.wake('default', 0);
  const [connection] = await connections.claim('test', 1_000, 1);
  await followed.youngestAt();
  await followed.next('run-5');
  await followed.deliverUpdates(
    Array.from({ length: 100 }, (_, index) =>
      aRun({ run_id: `run-${index * 7}`, state: 'BLOCKED' }),
    ),
  );
  if (connection) await connections.release([{ lease: connection, changes: {}, dueAt: null }]);
  await leases.nextDueInMs();
  const leased = await leases.claim('test', 1_000, 20);
  await leases.renew(
    'test',
    1_000,
    leased.map(({ id }) => id),
  );
  for (const lease of leased) await leases.check(lease);
  await leases.release(leased.map((lease) => ({ lease, changes: { failures: 0 }, dueAt: 5 })));
}

/** Followed requests, half of which are due, as after an outage. */
async function fill(db: Db, numbers: ReturnType<typeof sql>): Promise<void> {
  await sql`
    insert into requests (id, team_id, creator_id, channel_id, masked_prompt, title, config_json, step,
      failures, lease_until, accepted_at, run_id, run_state, run_json, due_at, look_at, ended_at)
    select 'r' || n, 'T1', 'U1', 'C1', 'count', 'Count', '{}',
      case when n % 50 = 0 then 'ended' else 'following' end,
      0, 0, n, 'run-' || n, 'INPROGRESS', null,
      case when n % 2 = 0 then n else 99999999999999 end, 5, case when n % 50 = 0 then 5 end
    from ${numbers}
  `.execute(db);
  await fillEncrypted(db, { table: 'requests', column: 'config_json', text: '{}' });
}

describe('with many followed runs no statement of a round reads them all', () => {
  const asked: { sql: string; parameters: readonly unknown[] }[] = [];
  const log = ({ query }: LogEvent) => {
    if (/requests/.test(query.sql)) asked.push(query);
  };
  const explain = (db: Db, how: string) => async (query: (typeof asked)[number]) => {
    const explained = CompiledQuery.raw(`${how} ${query.sql}`, [...query.parameters]);
    return { sql: query.sql, plan: (await db.executeQuery(explained)).rows };
  };
  beforeAll(() => {
    asked.length = 0;
  });

  it('on SQLite', async () => {
    const file = `${temporaryFolder()}/plans.db`;
    const db = await openTestDatabase(`sqlite:${file}`);
    const numbers = sql`(with recursive c(n) as (select 1 union all select n + 1 from c where n < ${sql.lit(followedOnSqlite)}) select n from c)`;
    await fill(db, numbers);
    const watched: Db = new Kysely({ dialect: withTestKey(sqliteDialect(file)), log });
    await askAll(watched);
    await watched.destroy();
    expect(asked.length).toBeGreaterThan(10);
    for (const { sql: text, plan } of await Promise.all(
      asked.map(explain(db, 'explain query plan')),
    ))
      expect(JSON.stringify(plan), text).not.toMatch(/SCAN requests|TEMP B-TREE/);
    await db.destroy();
  });

  it('on PostgreSQL', async () => {
    const url = await createPostgresDatabase();
    const db = await openTestDatabase(url);
    await fill(db, sql`generate_series(1, ${sql.lit(followedRuns)}) as n`);
    await sql`analyze requests`.execute(db);
    const watched: Db = new Kysely({ dialect: withTestKey(postgresDialect(url)), log });
    asked.length = 0;
    await askAll(watched);
    await watched.destroy();
    for (const { sql: text, plan } of await Promise.all(
      asked.map(explain(db, 'explain (analyze, format json)')),
    ))
      expect(rowsRead(plan), `${text}\n${JSON.stringify(plan)}`).toBeLessThan(mostRows);
    await db.destroy();
  });
});

/** The rows that any step of a plan has read, kept or thrown away. */
function rowsRead(plan: unknown): number {
  if (typeof plan !== 'object' || plan === null) return 0;
  const step = plan as Record<string, unknown>;
  const own = [step['Actual Rows'], step['Rows Removed by Filter']].map((rows) =>
    Number(rows ?? 0),
  );
  const loops = Number(step['Actual Loops'] ?? 1);
  const within = Object.values(step).map(rowsRead);
  return Math.max(...own.map((rows) => rows * loops), 0, ...within);
}
