import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLineLogger } from '../../../base/test/support/line-logger.ts';
import { createFolderPool } from '../../src/execution/folder-pool.ts';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
} from '../support/runs-service.ts';

const finished = (name: string) => !name.includes('-');

async function untilSpare(dataDir: string, count = 1): Promise<string[]> {
  const folder = join(dataDir, 'spares');
  const names = () => (existsSync(folder) ? readdirSync(folder) : []);
  await expect.poll(() => names().filter(finished).length).toBe(count);
  return names().map((name) => join(folder, name));
}

async function outputOf(service: StartedService) {
  const id = await service.begin({ prompt: 'x' });
  expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
  return readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
    cwd,
    stdio: 'pipe',
  });

describe('files that are written before a run needs them', () => {
  it('are used by the next run, with the newest commits and branches', async () => {
    const environment = shellEnvironment('cat notes.txt; git status --short; git branch -r');
    const service = await startRunsService({ environments: [environment] });
    await outputOf(service);
    const [spare = ''] = await untilSpare(service.dataDir);
    writeFileSync(join(spare, 'left-by-the-test'), '');
    const origin = environment.repositories[0]?.url ?? '';
    writeFileSync(join(origin, 'notes.txt'), 'new\n');
    git(origin, 'commit', '-qam', 'x');
    git(origin, 'branch', 'other');
    const output = await outputOf(service);
    expect(output).toContain('new\n?? left-by-the-test\n');
    expect(output).toContain('origin/other');
    await untilSpare(service.dataDir);
    expect(await outputOf(service)).not.toContain('left-by-the-test');
  });

  it('are replaced by a fresh checkout if they are broken', async () => {
    const environment = shellEnvironment('cat notes.txt');
    const service = await startRunsService({ environments: [environment] });
    await outputOf(service);
    const [spare = ''] = await untilSpare(service.dataDir);
    writeFileSync(join(spare, '.git', 'HEAD'), 'nonsense');
    expect(await outputOf(service)).toBe('one\ntwo\n');
  });

  it('have what the setup made', async () => {
    const environment = shellEnvironment('cat made.txt "$HOME/made"; echo x >> made.txt', {
      setup: [['sh', '-c', 'echo 1 > made.txt; echo 2 > "$HOME/made"']],
    });
    const service = await startRunsService({ environments: [environment] });
    for (const round of [1, 2, 3]) {
      expect(await outputOf(service), `${round}`).toBe('1\n2\n');
      await untilSpare(service.dataDir, 2);
    }
  });

  it('are deleted if a crash left them unfinished', async () => {
    const dataDir = temporaryFolder();
    mkdirSync(join(dataDir, 'spares', 'abc-123456', 'repo'), { recursive: true });
    await startRunsService({ environments: [shellEnvironment('true')], dataDir });
    expect(readdirSync(join(dataDir, 'spares'))).toEqual([]);
  });

  it('are given up with a warning if they cannot be written or deleted', async () => {
    const { logger, lines } = createLineLogger();
    const folderPool = createFolderPool({ folder: join(temporaryFolder(), 'spares'), logger });
    const fails = (why: string) => () => Promise.reject(new Error(why));
    folderPool.prepare('key', { write: fails('full'), remove: fails('busy') });
    await expect.poll(() => lines.length).toBe(1);
    await folderPool.stop();
    expect(lines[0]?.msg).toBe('cannot prepare files for the next run');
  });
});
