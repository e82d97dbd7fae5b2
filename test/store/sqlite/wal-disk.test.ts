import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWalDisk } from 'base/database/sqlite/wal-disk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../packages/runs-service/test/support/runs-service.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { openTestDatabase } from '../../support/database/databases.ts';

describe("the log of SQLite's commits", () => {
  it('is flushed while the database is open', async () => {
    const file = join(temporaryFolder(), 'bot.db');
    const db = await openTestDatabase(`sqlite:${file}`);
    onTestFinished(() => db.destroy());
    const owner = { teamId: 'T1', scope: 'person', scopeId: 'U1' } as const;
    await createSettings(db).write(owner, 'start.at-once', true);
    const disk = createWalDisk(file);
    await disk.flush();
    await disk.flush();
    await disk.close();
  });

  it('is closed also while the first flush opens it', async () => {
    const file = join(temporaryFolder(), 'bot.db');
    const db = await openTestDatabase(`sqlite:${file}`);
    onTestFinished(() => db.destroy());
    const isLog = (name: string) => {
      const link = `/proc/self/fd/${name}`;
      return existsSync(link) && readlinkSync(link) === `${file}-wal`;
    };
    const openLogs = () => readdirSync('/proc/self/fd').filter(isLog);
    const before = openLogs();
    const disk = createWalDisk(file);
    const flushed = disk.flush().catch(() => undefined);
    await disk.close();
    await flushed;
    expect(openLogs()).toEqual(before);
  });

  it('fails if there is none, so that nothing counts as stored, and is opened again', async () => {
    const file = join(temporaryFolder(), 'nothing.db');
    const disk = createWalDisk(file);
    await expect(disk.flush()).rejects.toThrow('ENOENT');
    writeFileSync(`${file}-wal`, '');
    await disk.flush();
    await disk.close();
  });
});
