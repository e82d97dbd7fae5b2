import { CompiledQuery, Kysely, type LogEvent, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { postgresDialect } from '../../../src/store/postgres/postgres.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import type { Db } from '../../../src/store/schema.ts';
import { sqliteDialect } from '../../../src/store/sqlite/sqlite.ts';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { fillRequests } from '../../support/database/many-requests.ts';
import { openTestDatabase, withTestKey } from '../../support/database/test-key.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

const requests = 50_000;
const viewer = { teamId: 'T1', userId: 'U1' };
const hourMs = 3_600_000;

/** Everything that one look at the Home tab asks, by any of its filters but words. */
async function askAll(db: Db): Promise<void> {
  const list = createRequestList(db);
  const limit = 21;
  await list.counts(viewer, Date.now() - 7 * 24 * hourMs);
  await list.page({ viewer, creatorId: 'U1', state: 'live' }, { limit: 5 });
  await list.page({ viewer }, { limit });
  await list.page({ viewer, creatorId: 'U7' }, { limit });
  await list.page({ viewer, creatorId: 'U7' }, { limit, after: { acceptedAt: 1e12, id: 'x' } });
  for (const state of ['live', 'succeeded', 'failed', 'cancelled'] as const)
    await list.page({ viewer, state }, { limit });
  await list.page({ viewer, needsReview: true }, { limit });
  await list.page({ viewer, environment: 'seldom' }, { limit });
  await list.page({ viewer, name: 'seldom' }, { limit });
}

describe('with many requests no filter of the Home tab reads them all', () => {
  const asked: { sql: string; parameters: readonly unknown[] }[] = [];
  const log = ({ query }: LogEvent) => void asked.push(query);

  async function explainAll(db: Db, how: string) {
    const plans: { text: string; plan: string }[] = [];
    for (const query of asked.splice(0)) {
      const explained = CompiledQuery.raw(`${how} ${query.sql}`, [...query.parameters]);
      const { rows } = await db.executeQuery(explained);
      plans.push({ text: query.sql, plan: JSON.stringify(rows) });
    }
    return plans;
  }

  it('on SQLite, and none sorts', async () => {
    const file = `${temporaryFolder()}/plans.db`;
    const db = await openTestDatabase(`sqlite:${file}`);
    await fillRequests(db, 2_000);
    const watched: Db = new Kysely({ dialect: withTestKey(sqliteDialect(file)), log });
    await askAll(watched);
    await watched.destroy();
    for (const { text, plan } of await explainAll(db, 'explain query plan')) {
      expect(plan, text).toMatch(/SEARCH requests USING (COVERING )?INDEX/);
      if (!text.includes('group by')) expect(plan, text).not.toContain('FOR ORDER BY');
      else expect(plan, text).toContain('COVERING INDEX');
      if (!text.includes('"creator_id" = ?')) continue;
      expect(plan, text).toContain('requests_creator_state (team_id=? AND creator_id=?');
      expect(plan, text).toContain('requests_step (step=?');
    }
    await db.destroy();
  });

  it('on PostgreSQL', async () => {
    const url = await createPostgresDatabase();
    const db = await openTestDatabase(url);
    await fillRequests(db, requests);
    await sql`vacuum analyze requests`.execute(db);
    const watched: Db = new Kysely({ dialect: withTestKey(postgresDialect(url)), log });
    await askAll(watched);
    await watched.destroy();
    for (const { text, plan } of await explainAll(db, 'explain (format json)'))
      expect(plan, text).not.toContain('Seq Scan');
    await db.destroy();
  });
});
