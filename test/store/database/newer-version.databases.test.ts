import { dialectOf } from 'base/database/database';
import { readApplied } from 'base/database/migrations';
import { Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmptyDatabase } from '../../../packages/base/test/support/databases.ts';
import { temporaryFolder } from '../../../packages/runs-service/test/support/runs-service.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import { botTables } from '../../../src/store/tables.ts';
import { acceptDue } from '../../support/database/accept-due.ts';
import { createDatabase, openTestDatabase } from '../../support/database/databases.ts';

describe('beside a newer version', () => {
  async function open(url: string) {
    const db = await openTestDatabase(url);
    onTestFinished(() => db.destroy());
    return db;
  }

  /** Opens a database that a newer version has migrated and in which it has started a request. */
  async function openAfterNewer() {
    const url = await createDatabase(temporaryFolder());
    const newer = await open(url);
    await sql`insert into bot_migrations (name, timestamp) values ('999-of-tomorrow', 'x')`.execute(
      newer,
    );
    await sql`alter table requests add column mood text`.execute(newer);
    const db = await open(url);
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    for (const id of ['r1', 'r2']) await acceptDue(db, { id, ...asked, config: {}, acceptedAt: 1 });
    await sql`update requests set step = 'dreaming', mood = 'calm' where id = 'r2'`.execute(db);
    return db;
  }

  it('applies what is missing beside unknown migrations', async () => {
    const url = await createEmptyDatabase(temporaryFolder());
    const before = new Kysely<unknown>({ dialect: dialectOf(url) });
    await sql`create table bot_migrations (name varchar(255) primary key, timestamp text)`.execute(
      before,
    );
    await sql`insert into bot_migrations values ('999-of-tomorrow', 'x')`.execute(before);
    await before.destroy();
    const db = await open(url);
    expect((await readApplied(db, botTables)).toSorted()).toEqual([
      '001-initial',
      '999-of-tomorrow',
    ]);
    expect(await db.selectFrom('requests').selectAll().execute()).toEqual([]);
  });

  it("ignores requests whose step it doesn't know, and isn't woken by them", async () => {
    const db = await openAfterNewer();
    const leases = createRequestLeases(db);
    const [leased, ...more] = await leases.claim('me', 60_000, 10);
    expect([leased?.id, more]).toEqual(['r1', []]);
    // The next due time is the end of r1's lease, not the unknown request.
    expect(await leases.nextDueInMs()).toBeGreaterThan(30_000);
  });

  it("lists them, and overwrites nothing that it doesn't know", async () => {
    const db = await openAfterNewer();
    const viewer = { teamId: 'T1', userId: 'U1' };
    const page = await createRequestList(db).page({ viewer }, { limit: 10 });
    expect(page.map(({ id }) => id).toSorted()).toEqual(['r1', 'r2']);
    const [leased] = await createRequestLeases(db).claim('me', 60_000, 1);
    if (leased) await createRequestLeases(db).record(leased, { step: 'posted', failures: 2 });
    const rows = await sql<object>`select id, step, mood from requests order by id`.execute(db);
    expect(rows.rows).toEqual([
      { id: 'r1', step: 'posted', mood: null },
      { id: 'r2', step: 'dreaming', mood: 'calm' },
    ]);
  });
});
