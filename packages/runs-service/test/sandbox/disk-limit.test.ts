import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withDiskLimit } from '../../src/sandbox/disk-limit.ts';
import type { Sandbox, SandboxedCommand } from '../../src/sandbox/sandbox.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const command: SandboxedCommand = {
  argv: ['agent'],
  cwd: '/',
  variables: {},
  timeoutMs: 60_000,
  graceMs: 0,
  signal: new AbortController().signal,
  onOutput: () => undefined,
};

const limited = (run: Sandbox['run']) =>
  withDiskLimit({ run }, { folder: '/', path: '', limitMb: 1, measuring: { run } }).run(command);

it('a command whose size cannot be measured is ended, and says why', async () => {
  const running = limited(async ({ argv, signal }) => {
    if (argv[0] === 'du') throw new Error('ENOSPC: no space left on device');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { how: 'aborted' };
  });
  const failed = expect(running).rejects.toThrow('no space left');
  await vi.advanceTimersByTimeAsync(10_000);
  await failed;
});

it('nothing is measured once the command has failed', async () => {
  const commands: (string | undefined)[] = [];
  const running = limited(async ({ argv }) => {
    commands.push(argv[0]);
    throw new Error('no sandbox');
  });
  await expect(running).rejects.toThrow('no sandbox');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(commands).toEqual(['agent']);
});

it.each([
  ['fails', { how: 'exited', code: 1 }],
  ['takes too long', { how: 'timed-out' }],
  ['is killed', { how: 'killed', signal: 'SIGKILL' }],
] as const)('a folder counts as full if measuring it %s twice', async (_name, end) => {
  let measured = 0;
  const running = limited(async ({ argv, signal }) => {
    if (argv[0] === 'du') {
      measured += 1;
      return end;
    }
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { how: 'aborted' };
  });
  await vi.advanceTimersByTimeAsync(10_000);
  const limit = "1 MB of disk, or so much that it can't be measured";
  expect(await running).toEqual({ how: 'over-limit', limit });
  expect(measured).toBe(2);
});

it('a file that is deleted while its folder is measured changes nothing', async () => {
  const ending = new AbortController();
  const running = limited(async ({ argv, signal, onOutput }) => {
    if (argv[0] === 'du') {
      onOutput(Buffer.from('du: cannot access x: No such file or directory\n1\t.\n'), 'stdout');
      return { how: 'exited', code: 1 };
    }
    await new Promise((resolve) => {
      for (const each of [signal, ending.signal]) each.addEventListener('abort', resolve);
    });
    return signal.aborted ? { how: 'aborted' } : { how: 'exited', code: 0 };
  });
  await vi.advanceTimersByTimeAsync(100_000);
  ending.abort();
  await vi.advanceTimersByTimeAsync(1);
  expect(await running).toEqual({ how: 'exited', code: 0 });
});
