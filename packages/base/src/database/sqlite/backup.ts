import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'libsql';
import { ExplainedError } from '../../explained-error.ts';

/**
 * Returns the path of a SQLite database.
 * @throws ExplainedError for PostgreSQL, which has its own backup programs
 */
export function pathOfSqlite(url: string): string {
  const path = /^sqlite:(.+)/.exec(url)?.[1];
  if (path !== undefined) return path;
  throw new ExplainedError('PostgreSQL is backed up with pg_dump, see docs/data.md.');
}

/**
 * Copies a database, which may be in use, to a new file and checks the copy. Creates the folder of the file.
 * @returns size of the file in bytes
 * @throws ExplainedError if the file exists, or the copy is damaged
 */
export function backUp(path: string, file: string): number {
  if (!existsSync(path)) throw new ExplainedError(`There is no database at ${path}.`);
  assertMissing([file]);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return writeWhole(file, (unfinished) => {
    copyInto(path, unfinished);
    assertSound(unfinished, file);
  });
}

/**
 * Restores a backup.
 * @param check opens the copy before it gets its final name; an error ends the restore
 * @throws ExplainedError if a database exists, or the backup is damaged
 */
export async function restore(
  file: string,
  path: string,
  check: (copy: string) => Promise<void>,
): Promise<void> {
  if (!existsSync(file)) throw new ExplainedError(`There is no file ${file}.`);
  assertMissing([path, `${path}-wal`, `${path}-shm`]);
  const copy = `${path}.${randomUUID()}`;
  // Create the folder, because it may not exist on a new machine.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    assertSound(copy, file);
    await check(copy);
    writeWhole(path, (unfinished) => copyInto(copy, unfinished));
  } finally {
    for (const each of [copy, `${copy}-wal`, `${copy}-shm`]) rmSync(each, { force: true });
  }
}

/** Copies a database, including changes that are only in the write-ahead log so far. */
function copyInto(path: string, file: string): void {
  const database = new Sqlite(path);
  try {
    database.exec('PRAGMA busy_timeout=5000');
    database.prepare('VACUUM INTO ?').run(file);
  } finally {
    database.close();
  }
}

/** Writes a file that only this user can read. The file gets its final name once it's complete and on disk. */
function writeWhole(file: string, write: (unfinished: string) => void): number {
  const unfinished = `${file}.${randomUUID()}`;
  try {
    closeSync(openSync(unfinished, 'wx', 0o600));
    write(unfinished);
    chmodSync(unfinished, 0o600);
    const descriptor = openSync(unfinished, 'r+');
    fsyncSync(descriptor);
    closeSync(descriptor);
    linkSync(unfinished, file);
    return statSync(file).size;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function assertMissing(files: readonly string[]): void {
  const [existing] = files.filter((file) => existsSync(file));
  if (existing !== undefined)
    throw new ExplainedError(`${existing} exists. Nothing is overwritten: move it away first.`);
}

function assertSound(copy: string, file: string): void {
  const problem = problemOf(copy);
  if (problem !== 'ok') throw new ExplainedError(`${file} is damaged or no database (${problem}).`);
}

function problemOf(file: string): string {
  const database = new Sqlite(file);
  try {
    return String(database.prepare('PRAGMA integrity_check').raw().get());
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    database.close();
  }
}
