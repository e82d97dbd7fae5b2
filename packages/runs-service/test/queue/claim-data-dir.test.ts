import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { claimDataDir } from '../../src/queue/claim-data-dir.ts';
import { temporaryFolder } from '../support/runs-service.ts';

/** Returns the fields in /proc after the process's name. The first is its state, the 20th its start time. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Starts a zombie and a running child. Returns their process IDs. */
async function startChildren(): Promise<{ zombie: number; living: number }> {
  // End the child only when its parent is a program that doesn't reap children, because a shell may.
  const ends = 'until read -r name </proc/$PPID/comm && [ "$name" = sleep ]; do :; done';
  const script = `sh -c '${ends}' & echo $!; sleep 1000 & echo $!; exec sleep 1000`;
  const parent = spawn('sh', ['-c', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  onTestFinished(async () => {
    process.kill(-(parent.pid ?? 0), 'SIGKILL');
    if (parent.exitCode === null && parent.signalCode === null) await once(parent, 'exit');
  });
  const pids: number[] = [];
  for await (const line of createInterface({ input: parent.stdout })) {
    pids.push(Number(line));
    if (pids.length === 2) break;
  }
  const [zombie = 0, living = 0] = pids;
  await expect.poll(() => statOf(zombie)[0]).toBe('Z');
  return { zombie, living };
}

const usedBy = (pid: number) => {
  const dataDir = temporaryFolder();
  const record = { owner: 'earlier', pid, startedAt: statOf(pid)[19] };
  writeFileSync(join(dataDir, 'runs-service.json'), JSON.stringify(record));
  return dataDir;
};

it('a data folder is rejected while a live process uses it, but not a zombie', async () => {
  const { zombie, living } = await startChildren();
  expect(() => claimDataDir(usedBy(living))).toThrow(`used by another runs service`);
  const instance = claimDataDir(usedBy(zombie));
  expect(instance.crashedOwner).toBe('earlier');
  instance.release();
});
