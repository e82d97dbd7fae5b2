import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSettings } from '../../../src/store/people/settings.ts';
import { createWalDisk } from '../../../src/store/sqlite/wal-disk.ts';
import { temporaryFolder } from '../../support/runs-service.ts';
import { openTestDatabase } from '../../support/test-key.ts';

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

  it('fails if there is none, so that nothing counts as stored', async () => {
    const disk = createWalDisk(join(temporaryFolder(), 'nothing.db'));
    await expect(disk.flush()).rejects.toThrow('ENOENT');
    await disk.close();
  });
});
