import { dialectOf } from 'base/database/database';
import { CompiledQuery, Kysely, sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { fillEncrypted, withTestKey } from '../../../packages/base/test/support/test-key.ts';
import { temporaryFolder } from '../../../packages/runs-service/test/support/runs-service.ts';
import { createConnections } from '../../../src/store/following/connections.ts';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import type { Db } from '../../../src/store/schema.ts';
import { botTables } from '../../../src/store/tables.ts';
import { aRun } from '../../support/builders.ts';
import { createDatabase, openTestDatabase } from '../../support/database/databases.ts';
import { numbersTo } from '../../support/database/many-requests.ts';

/** Opens a fresh database of the lane that explains the statements it is asked. */
export async function openPlannedDatabase(explain: string) {
  const url = await createDatabase(temporaryFolder());
  const db = await openTestDatabase(url);
  onTestFinished(() => db.destroy());

  /** Returns each statement on this table that `ask` needs, with its plan. */
  async function plansOf(table: string, ask: (db: Db) => Promise<unknown>) {
    const asked: CompiledQuery[] = [];
    const watched: Db = new Kysely({
      dialect: withTestKey(dialectOf(url), [botTables]),
      log: ({ query }) => void asked.push(query),
    });
    await ask(watched);
    await watched.destroy();
    return Promise.all(
      asked
        .filter((query) => query.sql.includes(table))
        .map(async ({ sql: text, parameters }) => {
          const explained = CompiledQuery.raw(`${explain} ${text}`, [...parameters]);
          return { text, plan: (await db.executeQuery(explained)).rows };
        }),
    );
  }

  return { db, plansOf };
}

/** Adds followed requests, half of which are due, as after an outage. */
export async function fillFollowed(db: Db, count: number): Promise<void> {
  await sql`
    insert into requests (id, team_id, creator_id, channel_id, masked_prompt, title, config_json, authority_json, step,
      failures, lease_until, accepted_at, run_id, run_state, run_json, due_at, next_poll_at, ended_at)
    select 'r' || n, 'T1', 'U1', 'C1', 'count', 'Count', '{}', '{"actorId":"U1","keysOf":"U1"}',
      case when n % 50 = 0 then 'ended' else 'following' end,
      0, 0, n, 'run-' || n, 'INPROGRESS', null,
      case when n % 2 = 0 then n else 99999999999999 end, 5, case when n % 50 = 0 then 5 end
    from ${numbersTo(db, count)}
  `.execute(db);
  await fillEncrypted(db, { table: 'requests', column: 'config_json', text: '{}' });
}

/** Asks the store all that a follower asks between two waits. */
export async function followOnce(db: Db): Promise<void> {
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

const hourMs = 3_600_000;

/** Asks the store all that the Home tab asks, with each of its filters except a search. */
export async function readHome(db: Db): Promise<void> {
  const viewer = { teamId: 'T1', userId: 'U1' };
  const list = createRequestList(db);
  const limit = 21;
  await list.counts(viewer, Date.now() - 7 * 24 * hourMs);
  await list.page({ viewer, creatorId: 'U1', state: 'live' }, { limit: 5 });
  await list.page({ viewer }, { limit });
  await list.page({ viewer, byAutomations: true }, { limit });
  await list.page({ viewer, creatorId: 'U7' }, { limit });
  await list.page({ viewer, creatorId: 'U7' }, { limit, after: { acceptedAt: 1e12, id: 'x' } });
  for (const state of ['live', 'succeeded', 'failed', 'cancelled'] as const)
    await list.page({ viewer, state }, { limit });
  await list.page({ viewer, needsReview: true }, { limit });
  await list.page({ viewer, environment: 'seldom' }, { limit });
  await list.page({ viewer, name: 'seldom' }, { limit });
}
