import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createConnections } from '../../../src/store/following/connections.ts';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import type { Db } from '../../../src/store/schema.ts';
import { aRun } from '../../support/builders.ts';
import { createPostgresDatabase, openTestDatabase } from '../../support/database/databases.ts';

const problem = { code: 'down', message: 'down', since: 1 };
const swept = { id: 'default', version: 0 };

/** If two statements lock the same rows in different orders, PostgreSQL detects a deadlock and ends one of them. */
describe('statements that write many requests lock them in the order of their ids', () => {
  let db: Db;
  beforeAll(async () => {
    db = await openTestDatabase(await createPostgresDatabase());
    await createConnections(db).wake(swept.id, 0);
  });
  afterAll(() => db.destroy());
  beforeEach(async () => {
    await db.deleteFrom('requests').execute();
    // Neither the insert order nor the run IDs follow the order of the request IDs.
    for (const [id, runId] of [
      ['b', 'run-1'],
      ['c', 'run-2'],
      ['a', 'run-3'],
    ] as const)
      await insert(id, runId);
  });

  /** Sets every column that one of the statements filters by. */
  async function insert(id: string, runId: string): Promise<void> {
    await sql`
      insert into requests (id, team_id, creator_id, channel_id, masked_prompt, title, config_json, authority_json, step,
        failures, lease_until, lease_owner, accepted_at, run_id, run_state, due_at)
      values (${id}, 'T1', 'U1', 'C1', 'count', 'Count', '{}', '{"actorId":"U1","keysOf":"U1"}', 'following', 0, 5, 'me', 1, ${runId}, 'INPROGRESS', 5)
    `.execute(db);
  }

  const set = (values: Record<string, unknown>) => db.updateTable('requests').set(values).execute();
  const ids = ['c', 'b', 'a'];
  const news = ['run-1', 'run-2', 'run-3'].map((run_id) => aRun({ run_id, state: 'BLOCKED' }));
  const followed = (on: Db) => createFollowedRunsStore(on);

  it.each<[string, (on: Db) => Promise<unknown>, Record<string, unknown>?]>([
    ['news', (on) => followed(on).deliverUpdates(news)],
    ['a look at all', (on) => followed(on).pollNow()],
    ['a look at some', (on) => followed(on).pollNow(['run-1', 'run-2', 'run-3'])],
    ['a problem', (on) => followed(on).showProblem(problem, swept)],
    ['the end of a problem', (on) => followed(on).hideProblem(), { problem_json: '{}' }],
    [
      'those that wait',
      (on) => followed(on).retryWaitingNow(),
      { step: 'posted', problem_json: '{}' },
    ],
    ['leases', (on) => createRequestLeases(on).renew('me', 1_000, ids)],
  ])('%s', async (_, write, before = {}) => {
    await set({ problem_json: null, ...before });
    let writing: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (holder) => {
      await sql`select 1 from requests where id = 'a' for update`.execute(holder);
      writing = write(db);
      await untilBlocked(holder);
      const free = await sql<{
        id: string;
      }>`select id from requests order by id for update skip locked`.execute(holder);
      expect(free.rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    });
    await writing;
  });

  /** Waits until PostgreSQL reports a blocked statement, which is more reliable than waiting for some time. */
  async function untilBlocked(holder: Db): Promise<void> {
    const waiting = sql`
      select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
    `;
    await expect.poll(async () => (await waiting.execute(holder)).rows).not.toEqual([]);
  }
});
