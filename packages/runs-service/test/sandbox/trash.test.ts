import { EventEmitter, once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { expect, it, onTestFinished } from 'vitest';
import { removeFolder } from '../../src/sandbox/deletion/remove-folder.ts';
import { countQuarantined, createTrash } from '../../src/sandbox/deletion/trash.ts';
import { runOnHost } from '../../src/sandbox/run-on-host.ts';
import type { SandboxedCommand } from '../../src/sandbox/sandbox.ts';
import { temporaryFolder } from '../support/runs-service.ts';

const path = process.env['PATH'] ?? '';
const isolation = 'none' as const;

function newTrash(dataDir: string, run = runOnHost, more = {}) {
  const sandboxes = { open: () => ({ run }), fallback: { isolation } };
  const trash = createTrash({ dataDir, path, sandboxes, logger: createLogger('silent'), ...more });
  onTestFinished(() => trash.stop());
  const made = (name: string) => {
    const folder = join(dataDir, 'work', name);
    mkdirSync(join(folder, 'repo'), { recursive: true });
    writeFileSync(join(folder, 'repo', 'notes'), '');
    return folder;
  };
  return { trash, made, owner: { runId: 'run-1', environment: { isolation } } };
}

/** Creates a tree level by level, because its path is too long for one call. */
function makeDeep(folder: string, levels: number, name: string): void {
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  for (let level = 0; level < levels; level += 1) {
    mkdirSync(join(folder, 'outer'));
    renameSync(inner, join(folder, 'outer', name));
    renameSync(join(folder, 'outer'), inner);
  }
}

it('a path is free at once, and its folder is deleted in the background', async () => {
  const dataDir = temporaryFolder();
  const events = new EventEmitter();
  const begun = once(events, 'begin');
  const { trash, made, owner } = newTrash(dataDir, async (command) => {
    await begun;
    return runOnHost(command);
  });
  const folder = made('a');
  await trash.discard(folder, owner);
  expect(existsSync(folder)).toBe(false);
  await trash.discard(made('a'), owner);
  await trash.discard(join(dataDir, 'work', 'none'), owner);
  events.emit('begin');
  await expect.poll(() => readdirSync(join(dataDir, 'trash'))).toEqual([]);
  expect(await trash.isEmpty()).toBe(true);
});

it('a folder that an agent closed to itself is discarded, too', async () => {
  const dataDir = temporaryFolder();
  const { trash, made, owner } = newTrash(dataDir);
  const folder = made('a');
  for (const each of [join(folder, 'repo'), folder]) chmodSync(each, 0);
  await trash.discard(folder, owner);
  await expect.poll(() => readdirSync(join(dataDir, 'trash'))).toEqual([]);
  expect(await countQuarantined(dataDir)).toBe(0);
});

it('a folder that cannot be deleted is put aside, counted, and tried again later', async () => {
  const dataDir = temporaryFolder();
  let isBroken = true;
  const commands: SandboxedCommand[] = [];
  const { trash, made, owner } = newTrash(dataDir, async (command) => {
    commands.push(command);
    return isBroken ? { how: 'exited', code: 1 } : runOnHost(command);
  });
  await trash.discard(made('a'), owner);
  await expect.poll(() => countQuarantined(dataDir)).toBe(1);
  expect(readdirSync(join(dataDir, 'trash'))).toEqual([]);
  isBroken = false;
  const asked: string[] = [];
  await trash.empty(async (runId) => {
    asked.push(runId);
    return undefined;
  });
  await expect.poll(() => trash.isEmpty()).toBe(true);
  expect(asked).toEqual(['run-1']);
  expect(commands).toHaveLength(2);
});

it('what a stop interrupts is deleted after the next start', async () => {
  const dataDir = temporaryFolder();
  const first = newTrash(dataDir, async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { how: 'aborted' };
  });
  await first.trash.discard(first.made('a'), first.owner);
  await first.trash.stop();
  expect(readdirSync(join(dataDir, 'trash'))).toHaveLength(1);
  expect(await countQuarantined(dataDir)).toBe(0);
  const { trash } = newTrash(dataDir);
  await trash.empty(async () => undefined);
  await expect.poll(() => trash.isEmpty()).toBe(true);
});

it('a folder that filled the disk is deleted, though nothing can be made there', async () => {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, 'trash'));
  const makeFolder = async () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  const { trash, made, owner } = newTrash(dataDir, runOnHost, { makeFolder });
  const folder = made('a');
  await trash.discard(folder, owner);
  expect(existsSync(folder)).toBe(false);
  await trash.discard(join(dataDir, 'work', 'none'), owner);
  await expect.poll(() => trash.isEmpty()).toBe(true);
});

it('new folders are deleted while those that could not be deleted are tried again', async () => {
  const dataDir = temporaryFolder();
  for (const name of ['run-1.a', 'run-2.b', 'run-3.c', 'run-4.d', 'run-5.e'])
    mkdirSync(join(dataDir, 'quarantine', name, 'files'), { recursive: true });
  const { trash, made, owner } = newTrash(dataDir, async (command) => {
    if (readdirSync(command.cwd).includes('files') && !command.cwd.includes('run-new'))
      await new Promise((resolve) => command.signal.addEventListener('abort', resolve));
    return runOnHost(command);
  });
  await trash.empty(async () => undefined);
  await trash.discard(made('new'), { ...owner, runId: 'run-new' });
  const names = () => readdirSync(join(dataDir, 'trash')).map((name) => name.split('.')[0]);
  await expect.poll(names).not.toContain('run-new');
  expect(names()).toHaveLength(5);
});

it('a process that ends can wait until everything is deleted, but not for longer than it is told', async () => {
  const events = new EventEmitter();
  const begun = once(events, 'begin');
  const dataDir = temporaryFolder();
  const { trash, made, owner } = newTrash(dataDir, async (command) => {
    await begun;
    return runOnHost(command);
  });
  await trash.discard(made('a'), owner);
  await trash.settle(AbortSignal.abort());
  expect(await trash.isEmpty()).toBe(false);
  const settled = trash.settle(new AbortController().signal);
  events.emit('begin');
  await settled;
  expect(await trash.isEmpty()).toBe(true);
});

it.each(['a', 'n'.repeat(250)])(
  'more levels than rm can delete, each named %s, are deleted part by part',
  async (name) => {
    const bin = temporaryFolder();
    // Fake `rm` that fails at 60 levels. A real one fails at some hundred thousand.
    const rm = `#!/bin/sh\nfor each; do [ -z "$(find "$each" -mindepth 60 -maxdepth 60 -print -quit 2>/dev/null)" ] || { echo "rm: fts_read failed" >&2; exit 1; }; done\nexec /bin/rm "$@"\n`;
    writeFileSync(join(bin, 'rm'), rm, { mode: 0o755 });
    const folder = join(temporaryFolder(), 'files');
    mkdirSync(folder);
    makeDeep(folder, 300, name);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { signal } = new AbortController();
    const options = { path: `${bin}:${path}`, signal };
    expect(await removeFolder({ run: runOnHost }, folder, { ...options, levels: 1_000 })).toContain(
      'fts_read failed',
    );
    expect(await removeFolder({ run: runOnHost }, folder, { ...options, levels: 50 })).toBe(
      undefined,
    );
    expect(existsSync(folder)).toBe(false);
  },
);
