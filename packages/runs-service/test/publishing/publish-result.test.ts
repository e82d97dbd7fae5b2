import { createLogger } from 'base/logger';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPublishResult } from '../../src/publishing/publish-result.ts';
import { shellEnvironment } from '../support/runs-service.ts';
import { aStoredRun } from '../support/service/service-run-builder.ts';

/** Publishes a run that this owner has, with a database that fails the first time. Returns the requests. */
async function publishWith(owner: string): Promise<unknown[]> {
  const asked: unknown[] = [];
  function shaky<T>(answer: () => T) {
    let calls = 0;
    return async () => {
      calls += 1;
      if (calls === 1) throw new Error('the database is away');
      return answer();
    };
  }
  const run = aStoredRun({ lease_owner: owner });
  const publish = createPublishResult({
    runs: { get: shaky(() => run) },
    publications: { ofRuns: shaky(() => new Map()) },
    publisher: { ask: shaky(() => void asked.push('r')) },
    note: async () => undefined,
    owner: 'me',
    logger: createLogger('silent'),
  });
  const environment = shellEnvironment('true', { publish: { mode: 'branch', host: 'git' } });
  const progress = { close: async () => undefined };
  const { signal } = new AbortController();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const published = publish({ run, environment, progress, signal });
  await vi.runAllTimersAsync();
  await published;
  return asked;
}

it('a run that succeeded waits for a database that is down for a moment', async () => {
  expect(await publishWith('me')).toEqual(['r']);
});

it('a process that lost its run publishes nothing', async () => {
  expect(await publishWith('other')).toEqual([]);
});
