import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withDiskLimit } from '../../../src/runs-service/isolation/disk-limit.ts';
import type { Wall, WalledCommand } from '../../../src/runs-service/isolation/wall.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const command: WalledCommand = {
  argv: ['agent'],
  cwd: '/',
  variables: {},
  timeoutMs: 60_000,
  graceMs: 0,
  signal: new AbortController().signal,
  onOutput: () => undefined,
};

const limited = (run: Wall['run']) =>
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
    throw new Error('no wall');
  });
  await expect(running).rejects.toThrow('no wall');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(commands).toEqual(['agent']);
});
