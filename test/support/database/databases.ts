import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from 'base/database/database';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { openTestDatabase } from '../../../packages/base/test/support/test-key.ts';
import type { Db } from '../../../src/store/schema.ts';

const isPostgres = (): boolean => inject('database') === 'PostgreSQL';

/** Opens a fresh database for the tests of one file or `describe`: in the lane `postgres` on PostgreSQL, else SQLite. */
export const useDatabase = (): (() => Db) => useDatabaseAt(() => createDatabase());

/** Creates a fresh database of the lane. SQLite gets a file in the folder, or stays in memory without one. */
export async function createDatabase(folder?: string): Promise<string> {
  if (isPostgres()) return createPostgresDatabase();
  return folder === undefined ? 'sqlite::memory:' : createSqliteDatabase(folder);
}

/** Creates a database of the lane without tables. */
export async function createEmptyDatabase(folder: string): Promise<string> {
  return isPostgres() ? createFrom('template1') : `sqlite:${join(folder, 'bot.db')}`;
}

/** Runs tests with a fresh database of the lane. */
export function describeOnDatabase(name: string, tests: (database: () => Db) => void): void {
  describe(`${name} on ${inject('database')}`, () => tests(useDatabase()));
}

/** A new database on the PostgreSQL server of the test run, with all tables and no rows. */
export async function createPostgresDatabase(): Promise<string> {
  template ??= createTemplate();
  return createFrom(await template);
}

/** A new database without tables. */
export const createEmptyPostgresDatabase = (): Promise<string> => createFrom('template1');

/** Copying it takes half the CPU time of creating all tables. */
let template: Promise<string> | undefined;

async function createTemplate(): Promise<string> {
  const url = await createEmptyPostgresDatabase();
  const db = await openDatabase(url);
  await db.destroy();
  return new URL(url).pathname.slice(1);
}

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

let sqliteTemplate: Promise<string> | undefined;

/** A new SQLite file in the folder, with all tables and no rows. Copying it takes a third of the CPU time of creating all. */
export async function createSqliteDatabase(folder: string): Promise<string> {
  sqliteTemplate ??= createSqliteTemplate();
  const file = join(folder, 'bot.db');
  copyFileSync(await sqliteTemplate, file);
  return `sqlite:${file}`;
}

async function createSqliteTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-template-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'bot.db');
  const db = await openTestDatabase('sqlite::memory:');
  await writeSqliteFile(db, file);
  await db.destroy();
  return file;
}

/** Writes all of a SQLite database to one new file, without a log. */
export const writeSqliteFile = (db: Db, file: string) => sql`vacuum into ${file}`.execute(db);

function useDatabaseAt(createUrl: () => Promise<string>): () => Db {
  let db: Db | undefined;
  beforeAll(async () => {
    db = await openTestDatabase(await createUrl());
  });
  afterAll(async () => {
    await db?.destroy();
  });
  return () => {
    if (!db) throw new Error('The database was used before beforeAll');
    return db;
  };
}
