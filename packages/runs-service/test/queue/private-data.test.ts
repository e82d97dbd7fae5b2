import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { claimDataDir } from '../../src/queue/claim-data-dir.ts';
import { openTestDatabase } from '../support/databases.ts';
import { temporaryFolder } from '../support/runs-service.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('a data folder and the files in it are closed to other users, new or not', () => {
  const outside = join(temporaryFolder(), 'of-someone-else');
  writeFileSync(outside, '');
  chmodSync(outside, 0o644);
  const dataDir = join(temporaryFolder(), 'data');
  const transcript = join(dataDir, 'transcripts', 'run-1');
  mkdirSync(transcript, { recursive: true });
  const files = [join(dataDir, 'bot.db'), join(transcript, 'output.log')];
  for (const file of files) writeFileSync(file, '');
  for (const path of [dataDir, join(dataDir, 'transcripts'), transcript]) chmodSync(path, 0o755);
  for (const file of files) chmodSync(file, 0o644);
  symlinkSync(outside, join(dataDir, 'link'));

  claimDataDir(dataDir).release();
  expect([dataDir, join(dataDir, 'transcripts'), transcript].map(modeOf)).toEqual(
    Array(3).fill('700'),
  );
  expect(files.map(modeOf)).toEqual(['600', '600']);
  expect(modeOf(outside)).toBe('644');

  const fresh = join(temporaryFolder(), 'deep', 'data');
  const { release } = claimDataDir(fresh);
  expect(modeOf(fresh)).toBe('700');
  expect(modeOf(join(fresh, 'runs-service.json'))).toBe('600');
  release();
});

it('a database file is closed to other users, new or not', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'new-folder', 'bot.db');
  await (await openTestDatabase(`sqlite:${file}`)).destroy();
  expect([modeOf(join(folder, 'new-folder')), modeOf(file)]).toEqual(['700', '600']);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    writeFileSync(path, '', { flag: 'a' });
    chmodSync(path, 0o644);
  }
  const db = await openTestDatabase(`sqlite:${file}`);
  expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
  await db.destroy();
});
