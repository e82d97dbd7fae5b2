import { createLogger } from 'base/logger';
import { expect, it } from 'vitest';
import { createWarnings, problemsOf } from '../../src/execution/environment-problems.ts';
import { shellEnvironment } from '../support/runs-service.ts';

const machine = {
  path: '/usr/bin:/bin',
  sandboxes: {
    problemOf: async () => {
      throw new Error('ENOSPC: no space left on device');
    },
    warningOf: () => undefined,
  },
};

it('a check that fails keeps runs from starting, and says why', async () => {
  expect(await problemsOf(shellEnvironment('true'), machine)).toEqual([
    {
      message: "the service can't check what they need (Error: ENOSPC: no space left on device)",
      blocksRuns: true,
    },
  ]);
  const remote = { ...shellEnvironment('true'), runner: 'command' as const };
  const [problem] = await problemsOf(remote, {
    ...machine,
    runnerProblem: async () => {
      throw new Error('no answer');
    },
  });
  expect(problem).toMatchObject({ blocksRuns: true });
});

it('a program that is missing keeps runs from starting, unless something can still bring it', async () => {
  const sandboxes = { problemOf: async () => undefined, warningOf: () => undefined };
  const blocks = async (more: object) => {
    const environment = { ...shellEnvironment('true'), command: ['no-such-agent'], ...more };
    const found = await problemsOf(environment, { path: '/usr/bin:/bin', sandboxes });
    for (const { message } of found) expect(message).toContain("isn't installed");
    return found.map(({ blocksRuns }) => blocksRuns);
  };
  expect(await blocks({})).toEqual([true]);
  expect(await blocks({ setup: [['sh', '-c', 'true']] })).toEqual([false]);
  expect(await blocks({ setup: [['no-such-setup']] })).toEqual([true, false]);
  expect(await blocks({ variables: { PATH: 'node_modules/.bin:/bin' } })).toEqual([false]);
  expect(await blocks({ command: ['./agent.sh'] })).toEqual([]);
});

it('a check that fails does not end the service', async () => {
  const logger = createLogger('silent');
  const warnings = createWarnings(() => [shellEnvironment('true')], machine, logger);
  await expect(warnings.settled()).resolves.toBeUndefined();
});
