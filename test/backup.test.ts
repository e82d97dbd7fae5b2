import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from 'base/database/database';
import { backUp, pathOfSqlite, restore } from 'base/database/sqlite/backup';
import { createEncryption } from 'base/secrets/encryption';
import { createRuns } from 'runs-service/store/runs';
import type { DatabaseSchema } from 'runs-service/store/schema';
import { serviceTables } from 'runs-service/store/tables';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../packages/runs-service/test/support/runs-service.ts';
import { aServiceRun } from '../packages/runs-service/test/support/service/service-run-builder.ts';

const encryption = createEncryption(randomBytes(32));

/** Fills a database with a run and leaves it open. */
async function fill() {
  const folder = temporaryFolder();
  const path = join(folder, 'bot.db');
  const db = await openDatabase<DatabaseSchema>(`sqlite:${path}`, [serviceTables], { encryption });
  onTestFinished(() => db.destroy());
  await createRuns(db).create(aServiceRun({ prompt: 'count the boats' }));
  return { folder, path, db, file: join(folder, 'backups', 'backup.db') };
}

const modeOf = (file: string) => statSync(file).mode & 0o777;

describe('a backup', () => {
  it('is a private copy of a database in use, in a folder that it makes, and becomes a database again', async () => {
    const { folder, path, db, file } = await fill();
    expect(backUp(path, file)).toBe(statSync(file).size);
    expect(modeOf(file)).toBe(0o600);
    await createRuns(db).create(aServiceRun({ prompt: 'after the backup' }));

    const restored = join(folder, 'new', 'restored.db');
    await restore(file, restored, async () => {});
    expect(modeOf(restored)).toBe(0o600);
    const again = await openDatabase<DatabaseSchema>(`sqlite:${restored}`, [serviceTables], {
      encryption,
    });
    onTestFinished(() => again.destroy());
    const rows = await again.selectFrom('service_runs').selectAll().execute();
    expect(rows.map(({ prompt }) => prompt)).toEqual(['count the boats']);
  });

  it('overwrites nothing, and leaves nothing behind when it fails', async () => {
    const { folder, path, file } = await fill();
    backUp(path, file);
    const target = join(folder, 'restored.db');
    const damaged = join(folder, 'damaged.db');
    const none = join(folder, 'none.db');
    writeFileSync(damaged, 'no database, but longer than its header would be'.repeat(9));
    const pass = async () => {};
    const anotherKey = async () => {
      throw new Error('another key');
    };
    expect(() => backUp(path, file)).toThrow('exists. Nothing is overwritten');
    expect(() => backUp(none, join(folder, 'x'))).toThrow('no database at');
    expect(() => pathOfSqlite('postgres://127.0.0.1/bot')).toThrow('pg_dump');
    await expect(restore(file, path, pass)).rejects.toThrow('exists. Nothing is overwritten');
    await expect(restore(file, target, anotherKey)).rejects.toThrow('another key');
    await expect(restore(damaged, target, pass)).rejects.toThrow('is damaged or no database');
    await expect(restore(none, target, pass)).rejects.toThrow('There is no file');
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(join(folder, 'backups'))).toEqual(['backup.db']);
    const left = readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name));
    expect(left.sort()).toEqual(['backups', 'bot.db', 'damaged.db']);
  });
});
