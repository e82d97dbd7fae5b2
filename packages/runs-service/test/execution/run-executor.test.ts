import { expect, it } from 'vitest';
import { createRunExecutor, type ExecutorOptions } from '../../src/execution/run-executor.ts';
import { shellEnvironment } from '../support/runs-service.ts';

it('a run can be canceled while its environment is checked, such as during a download', async () => {
  const options = {
    environments: () => [shellEnvironment('true')],
    path: '/usr/bin:/bin',
    sandboxes: { problemOf: () => new Promise(() => undefined) },
  };
  const execute = createRunExecutor(options as unknown as ExecutorOptions);
  const canceling = new AbortController();
  const end = execute({ environment_id: 'shell' } as never, canceling.signal);
  canceling.abort('canceled');
  expect(await end).toEqual({ state: 'CANCELLED' });
});
