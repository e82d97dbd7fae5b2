import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInGroup } from '../../../src/runs-service/isolation/process-group.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

it('output that cannot be read ends its command, not the service', async () => {
  const cwd = temporaryFolder();
  const running = runInGroup({
    ...{ cwd, variables: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 60_000, graceMs: 0 },
    command: ['sh', '-c', 'echo x; echo y; sleep 50; touch survived'],
    signal: new AbortController().signal,
    onOutput: () => {
      throw new RangeError('too deep');
    },
  });
  await expect(running).rejects.toThrow('too deep');
  expect(existsSync(join(cwd, 'survived'))).toBe(false);
});
