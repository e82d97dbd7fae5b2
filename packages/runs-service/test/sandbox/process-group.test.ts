import { once } from 'node:events';
import { createReadStream, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInGroup } from '../../src/sandbox/process-group.ts';
import { temporaryFolder } from '../support/runs-service.ts';

it('output that cannot be read ends its command, not the service', async () => {
  const cwd = temporaryFolder();
  const running = runInGroup({
    cwd,
    variables: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 60_000,
    graceMs: 0,
    command: ['sh', '-c', 'echo x; echo y; sleep 50; touch survived'],
    signal: new AbortController().signal,
    onOutput: () => {
      throw new RangeError('too deep');
    },
  });
  await expect(running).rejects.toThrow('too deep');
  expect(existsSync(join(cwd, 'survived'))).toBe(false);
});

it('an input that a command does not read is closed', async () => {
  const file = join(temporaryFolder(), 'input');
  writeFileSync(file, Buffer.alloc(1_000_000));
  const closed = async (signal: AbortSignal) => {
    const input = createReadStream(file);
    const isClosed = once(input, 'close');
    await runInGroup({
      cwd: '/',
      variables: { PATH: process.env['PATH'] ?? '' },
      timeoutMs: 60_000,
      graceMs: 0,
      command: ['true'],
      input,
      signal,
      onOutput: () => undefined,
    });
    await isClosed;
    return input.closed;
  };
  expect(await closed(new AbortController().signal)).toBe(true);
  expect(await closed(AbortSignal.abort())).toBe(true);
});
