import { createLogger } from 'base/logger';
import { createRunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import { expect, it, onTestFinished } from 'vitest';
import { sweep } from '../../../src/following/sweeps/sweep.ts';
import type { SweepDeps } from '../../../src/following/sweeps/sweep-changes.ts';
import type { Connection } from '../../../src/store/following/connections.ts';
import { aRun } from '../../support/builders.ts';
import { startListStub } from '../list-stub.ts';

const start = Date.parse('2026-11-01T12:00:00Z');
const newest = aRun({ run_id: 'b', updated_at: new Date(start + 1_000).toISOString() });

/** Sweeps once. Returns the time until the next sweep is due, in ms. */
async function paceOf(changes: Partial<Connection>, isListening: boolean, isDown = false) {
  const { baseUrl } = await startListStub(() => [newest]);
  const client = createRunsClient({ baseUrl, apiKey: 'key' });
  onTestFinished(() => client.close());
  const down = () => Promise.reject(new RunsApiError({ code: 'connection', message: '' }));
  const parts = {
    followed: {
      youngestAt: async () => Date.now(),
      deliverUpdates: async () => undefined,
      runIds: async () => [],
      pollNow: async () => undefined,
    },
    runs: isDown ? { ...client.runs, list: down } : client.runs,
    isListening: () => isListening,
    logger: createLogger('silent'),
  } as unknown as SweepDeps;
  const connection: Connection = {
    id: 'default',
    version: 1,
    mode: 'changes',
    watermark: start,
    failures: 0,
    modeUntil: Number.POSITIVE_INFINITY,
    checkAt: Number.POSITIVE_INFINITY,
    problem: null,
    problemShown: false,
    checkedRunId: null,
    ...changes,
  };
  return (await sweep(parts, connection, new AbortController().signal)).nextInMs ?? 0;
}

it('sweeps are 30 seconds apart while the service announces changes', async () => {
  expect(await paceOf({}, true)).toBe(30_000);
});

it.each<[string, Partial<Connection>, boolean, boolean?]>([
  ['without a stream', {}, false],
  ['for a service that can only list active runs', { mode: 'active list' }, true],
  ['while the service is down', {}, true, true],
])('sweeps are as frequent as ever %s', async (_, connection, isListening, isDown) => {
  expect(await paceOf(connection, isListening, isDown)).toBeLessThan(2_000);
});
