import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import type { AnyDb, Tables } from '../../src/database/tables.ts';
import { testEncryption } from './test-key.ts';

const isPostgres = (): boolean => inject('database') === 'PostgreSQL';

/** Returns the functions that open databases with the tables of some products, for tests. */
export function createTestDatabases<Schema>(tables: readonly Tables[]) {
  /** Copying this template takes half the CPU time of creating all tables. */
  let template: Promise<string> | undefined;
  let sqliteTemplate: Promise<string> | undefined;

  const open = (url: string): Promise<Kysely<Schema>> =>
    openDatabase(url, tables, { encryption: testEncryption });

  async function createTemplate(): Promise<string> {
    const url = await createEmptyPostgresDatabase();
    await (await openDatabase(url, tables)).destroy();
    return new URL(url).pathname.slice(1);
  }

  async function createSqliteTemplate(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'slash-agent-template-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'bot.db');
    const db = await open('sqlite::memory:');
    await writeSqliteFile(db, file);
    await db.destroy();
    return file;
  }

  /** Creates a database on the PostgreSQL server of the test run, with all tables and no rows. */
  async function createPostgresDatabase(): Promise<string> {
    template ??= createTemplate();
    return createFrom(await template);
  }

  /** Creates a SQLite file in the folder, with all tables and no rows. Copying takes a third of the CPU time. */
  async function createSqliteDatabase(folder: string): Promise<string> {
    sqliteTemplate ??= createSqliteTemplate();
    const file = join(folder, 'bot.db');
    copyFileSync(await sqliteTemplate, file);
    return `sqlite:${file}`;
  }

  /** Creates a fresh database of the lane. SQLite gets a file in the folder, or stays in memory without one. */
  async function createDatabase(folder?: string): Promise<string> {
    if (isPostgres()) return createPostgresDatabase();
    return folder === undefined ? 'sqlite::memory:' : createSqliteDatabase(folder);
  }

  /** Opens a fresh database for the tests of one file or `describe`: in the lane `postgres` on PostgreSQL, else SQLite. */
  function useDatabase(): () => Kysely<Schema> {
    let db: Kysely<Schema> | undefined;
    beforeAll(async () => {
      db = await open(await createDatabase());
    });
    afterAll(async () => {
      await db?.destroy();
    });
    return () => {
      if (!db) throw new Error('The database was used before beforeAll');
      return db;
    };
  }

  /** Runs tests with a fresh database of the lane. */
  function describeOnDatabase(name: string, tests: (database: () => Kysely<Schema>) => void): void {
    describe(`${name} on ${inject('database')}`, () => tests(useDatabase()));
  }

  return {
    openTestDatabase: open,
    createDatabase,
    createPostgresDatabase,
    createSqliteDatabase,
    useDatabase,
    describeOnDatabase,
  };
}

/** Creates a database of the lane without tables. */
export async function createEmptyDatabase(folder: string): Promise<string> {
  return isPostgres() ? createEmptyPostgresDatabase() : `sqlite:${join(folder, 'bot.db')}`;
}

/** Creates a PostgreSQL database without tables. */
export const createEmptyPostgresDatabase = (): Promise<string> => createFrom('template1');

async function createFrom(other: string): Promise<string> {
  const url = new URL(inject('postgresUrl'));
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database ${name} template ${other} strategy file_copy`);
  await admin.end();
  url.pathname = `/${name}`;
  return url.href;
}

/** Writes all of a SQLite database to one new file, without a log. */
export const writeSqliteFile = (db: AnyDb, file: string) => sql`vacuum into ${file}`.execute(db);
