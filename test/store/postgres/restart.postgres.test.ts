import { sql } from 'kysely';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Db } from '../../../src/store/schema.ts';
import { createPostgresDatabase, openTestDatabase } from '../../support/database/databases.ts';

describe('a PostgreSQL that restarts', () => {
  let db: Db;
  let admin: pg.Client;
  beforeEach(async () => {
    const url = await createPostgresDatabase();
    db = await openTestDatabase(url);
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(async () => {
      await db.destroy();
      await admin.end();
    });
  });

  const others = 'datname = current_database() and pid <> pg_backend_pid()';

  /** Ends all other connections, like a restart of the server. Resolves when they're gone. */
  async function endConnections(): Promise<void> {
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`);
    const left = async () =>
      (await admin.query(`select 1 from pg_stat_activity where ${others}`)).rowCount;
    await expect.poll(left).toBe(0);
    // The driver hears about the closed connection in a later turn, so the first query may fail.
    await sql`select 1`.execute(db).catch(() => undefined);
  }

  const one = async () => (await sql<{ n: number }>`select 1 as n`.execute(db)).rows[0]?.n;

  it('closes idle connections, and the store still works', async () => {
    await one();
    await endConnections();
    expect(await one()).toBe(1);
  });

  it('fails the running statement, and the store still works', async () => {
    const slow = sql`select pg_sleep(60)`.execute(db).catch(String);
    const running = `select 1 from pg_stat_activity where query like '%pg_sleep(60)' and ${others}`;
    await expect.poll(async () => (await admin.query(running)).rowCount).toBe(1);
    await endConnections();
    expect(await slow).toContain('terminating connection');
    expect(await one()).toBe(1);
  });

  it('fails the open transaction, and the store still works', async () => {
    const transaction = db.transaction().execute(async (open) => {
      await sql`select 1`.execute(open);
      await endConnections();
      await sql`select 1`.execute(open);
    });
    await expect(transaction).rejects.toThrow();
    expect(await one()).toBe(1);
  });
});
