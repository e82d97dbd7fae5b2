import { afterAll, beforeAll } from 'vitest';
import { type Db, openDatabase } from '../../src/store/database.ts';

/** A fresh in-memory SQLite database for the tests of one file or `describe`. */
export function useDatabase(): () => Db {
  let db: Db | undefined;
  beforeAll(async () => {
    db = await openDatabase('sqlite::memory:');
  });
  afterAll(async () => {
    await db?.destroy();
  });
  return () => {
    if (!db) throw new Error('useDatabase: asked before beforeAll');
    return db;
  };
}
