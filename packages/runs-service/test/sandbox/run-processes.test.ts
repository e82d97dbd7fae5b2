import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { createRunProcesses } from '../../src/sandbox/run-processes.ts';

/** Starts a process of a run. Resolves when its variables can be read. */
async function startProcessOf(runId: string): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', 'echo started; exec sleep 600'], {
    env: { PATH: process.env['PATH'], AGENT_RUN_ID: runId },
    detached: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

const signalOf = async (child: ChildProcess) => {
  if (child.signalCode === null) await once(child, 'exit');
  return child.signalCode;
};

it('kills the processes of all runs that asked, and of no others', async () => {
  const [one, two, other] = await Promise.all(['one', 'two', 'other'].map(startProcessOf));
  const kill = createRunProcesses();
  await Promise.all([kill('one'), kill('two')]);
  const signals = await Promise.all([one, two].map((child) => child && signalOf(child)));
  expect(signals).toEqual(['SIGKILL', 'SIGKILL']);
  expect(other?.signalCode).toBeNull();
});

it('a process that started during a look for another run is killed when its run asks', async () => {
  const kill = createRunProcesses();
  const looking = kill('one');
  const late = await startProcessOf('late');
  await kill('late');
  expect(await signalOf(late)).toBe('SIGKILL');
  await looking;
});
