import { EventEmitter, once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { expect, it } from 'vitest';
import { usedFolder } from '../../src/execution/files/run-folder.ts';
import { createFolderPool } from '../../src/execution/folder-pool.ts';
import { createSetupCache, type SetupTarget } from '../../src/execution/setup/setup-cache.ts';
import { runOnHost } from '../../src/sandbox/run-on-host.ts';
import { shellEnvironment, temporaryFolder } from '../support/runs-service.ts';

/** Creates a full cache of ten entries. `old` is the least recently used one, and `deleting` delays deletions. */
function fullCache(deleting: (folder: string) => Promise<void>) {
  const dataDir = temporaryFolder();
  const folder = join(dataDir, 'setups');
  const names = ['old', ...Array.from({ length: 9 }, (_, number) => `recent${number}`)];
  for (const [at, name] of names.entries()) {
    for (const part of ['repo', 'home']) mkdirSync(join(folder, name, part), { recursive: true });
    utimesSync(join(folder, name), at, Date.now() / 1000 - 1_000 + at);
  }
  const sandboxes = { open: () => ({ run: runOnHost }) };
  const trash = { discard: deleting };
  const folderPool = createFolderPool({
    folder: join(dataDir, 'spares'),
    logger: createLogger('silent'),
  });
  const cache = createSetupCache({
    folder,
    path: process.env['PATH'] ?? '',
    sandboxes,
    trash,
    folderPool,
  });
  const target = (runId: string): SetupTarget => {
    const workDir = join(dataDir, 'work', runId);
    for (const name of ['repo', 'home']) mkdirSync(join(workDir, name), { recursive: true });
    const { signal } = new AbortController();
    const run = usedFolder(workDir, workDir, deleting);
    return { runId, environment: shellEnvironment('true'), folder: run, signal };
  };
  return { cache, target, folder, stop: () => folderPool.stop() };
}

it('a run does not copy a setup that is being deleted', async () => {
  const deleting = new EventEmitter();
  const finish = once(deleting, 'finish');
  const { cache, target, stop } = fullCache(async (folder) => {
    rmSync(folder, { recursive: true, force: true });
    deleting.emit('begin');
    await finish;
  });
  const begun = once(deleting, 'begin');
  const saved = cache.save('new', target('saving'));
  await begun;
  expect(await cache.restore('old', target('restoring'))).toBe(false);
  deleting.emit('finish');
  await saved;
  await stop();
});

it('two setups are saved at once while old ones are deleted', async () => {
  const { cache, target, folder, stop } = fullCache(async (dir) =>
    rmSync(dir, { recursive: true, force: true }),
  );
  const saved = await Promise.all(['a', 'b', 'c'].map((key) => cache.save(key, target(key))));
  expect(new Set(saved)).toEqual(new Set(['Saved the setup for later runs']));
  expect(readdirSync(folder)).toHaveLength(10);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['a', 'b', 'c', 'recent8']));
  await stop();
});

it('a setup is deleted after two unused weeks', async () => {
  const { cache, target, folder, stop } = fullCache(async (dir) =>
    rmSync(dir, { recursive: true, force: true }),
  );
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000);
  for (const name of readdirSync(folder).filter((each) => each !== 'recent8'))
    utimesSync(join(folder, name), daysAgo(15), daysAgo(15));
  utimesSync(join(folder, 'recent8'), daysAgo(13), daysAgo(13));
  await cache.save('new', target('saving'));
  expect(readdirSync(folder).toSorted()).toEqual(['new', 'recent8']);
  await stop();
});
