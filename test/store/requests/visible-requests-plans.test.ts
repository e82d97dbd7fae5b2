import { CompiledQuery, Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createConversations } from '../../../src/store/people/conversations.ts';
import { postgresDialect } from '../../../src/store/postgres/postgres.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import type { Db } from '../../../src/store/schema.ts';
import { sqliteDialect } from '../../../src/store/sqlite/sqlite.ts';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { fillRequests } from '../../support/database/many-requests.ts';
import { openTestDatabase, withTestKey } from '../../support/database/test-key.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

const requests = 10_000;
const members = 1_000;
const channels = 200;
const teamId = 'T1';

/** Half of the channels are private. U1 is in the first of them, and `nobody` in none. */
async function fill(db: Db): Promise<void> {
  await fillRequests(db, requests, teamId);
  const number = sql`cast(substr(id, 9) as integer)`;
  await sql`update requests set channel_id = 'C' || (${number} % ${sql.lit(channels)})`.execute(db);
  const conversations = createConversations(db);
  await conversations.noteAll();
  const memberIds = Array.from({ length: members }, (_, index) => `U${index}`);
  for (let due = await next(); due; due = await next()) {
    const isPrivate = Number(due.conversationId.slice(1)) % 2 === 0;
    // One private channel has everyone, the others have ten people each.
    const few = due.conversationId === 'C0' ? memberIds : memberIds.slice(500, 510);
    await conversations.write(
      due,
      isPrivate ? { kind: 'private', memberIds: few } : { kind: 'public' },
      60_000,
    );
  }
  function next() {
    return conversations.takeDue(60_000);
  }
}

/** What one look at the Home tab asks the store, by someone who sees few of the runs, and none of the private ones. */
async function look(db: Db, userId: string) {
  const list = createRequestList(db);
  const viewer = { teamId, userId };
  const limit = 21;
  const counts = await list.counts(viewer, 0);
  const all = await list.page({ viewer }, { limit });
  await list.page({ viewer, creatorId: userId, state: 'live' }, { limit: 5 });
  await list.page({ viewer, creatorId: 'U7' }, { limit });
  await list.page({ viewer, state: 'failed' }, { limit });
  await list.page({ viewer, search: 'number 77' }, { limit });
  return { counted: Object.values(counts).reduce((sum, each) => sum + each, 0), all };
}

describe(`with ${members} members and ${requests} runs, a look at the Home tab reads no more than it shows`, () => {
  async function check(open: (log: (query: CompiledQuery) => void) => Promise<Db>, how: string) {
    const asked: CompiledQuery[] = [];
    const db = await open((query) => void asked.push(query));
    await fill(db);
    const { counted, all } = await look(db, 'nobody');
    expect(counted).toBe(requests / 2);
    expect(all.every(({ channelId }) => Number(channelId.slice(1)) % 2 === 1)).toBe(true);
    expect((await look(db, 'U1')).counted).toBe(requests / 2 + requests / channels);
    const lists = asked.filter((query) => query.sql.includes('conversation_members where'));
    expect(lists.length).toBeGreaterThan(0);
    const plans = await Promise.all(
      [...new Set(lists)].map(async ({ sql: text, parameters }) => {
        const explained = CompiledQuery.raw(`${how} ${text}`, [...parameters]);
        return JSON.stringify((await db.executeQuery(explained)).rows);
      }),
    );
    await db.destroy();
    return plans;
  }

  it('on SQLite, and conversations are found by their indexes', async () => {
    const file = `${temporaryFolder()}/visible.db`;
    await (await openTestDatabase(`sqlite:${file}`)).destroy();
    const plans = await check(
      async (note) =>
        new Kysely({ dialect: withTestKey(sqliteDialect(file)), log: ({ query }) => note(query) }),
      'explain query plan',
    );
    for (const plan of plans) {
      expect(plan).toContain('SEARCH conversations USING COVERING INDEX conversations_public');
      expect(plan).toMatch(/SEARCH conversation_members USING COVERING INDEX .*user_id=\?/);
      // Once per statement, not once per run.
      expect(plan).not.toContain('CORRELATED');
    }
  });

  it('on PostgreSQL', async () => {
    const url = await createPostgresDatabase();
    await (await openTestDatabase(url)).destroy();
    const plans = await check(
      async (note) =>
        new Kysely({ dialect: withTestKey(postgresDialect(url)), log: ({ query }) => note(query) }),
      'explain',
    );
    for (const plan of plans) expect(plan).toMatch(/hashed SubPlan/);
  });
});
