import { expect, it } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { createPublishResult } from '../../../src/runs-service/publishing/publish-result.ts';
import { shellEnvironment } from '../../support/runs-service.ts';

/** Fails the first time. */
function shaky<T>(answer: T) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === 1) throw new Error('the database is away');
    return answer;
  };
}

it('a run that succeeded waits for a database that is away for a moment', async () => {
  const asked: unknown[] = [];
  const ask = shaky('asked');
  const publish = createPublishResult({
    runs: { get: shaky({ id: 'r' } as never) },
    publications: { ofRuns: shaky(new Map([['r', { done: 1, mine: 1 } as never]])) },
    publisher: { ask: async () => void asked.push(await ask()) } as never,
    note: async () => undefined,
    logger: createLogger('silent'),
  });
  const environment = shellEnvironment('true', { publish: { mode: 'branch', host: 'git' } });
  const run = { id: 'r' } as never;
  const progress = { close: async () => undefined };
  await publish({ run, environment, progress, signal: new AbortController().signal });
  expect(asked).toEqual(['asked']);
});
