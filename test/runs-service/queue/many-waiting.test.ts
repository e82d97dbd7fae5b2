import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { RunQueue, type RunQueueOptions } from '../../../src/runs-service/queue/run-queue.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';

it('many runs that wait for the database cause no warning about a leak', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const queued = Array.from({ length: 20 }, (_, at) => ({ ...aServiceRun(), id: `run-${at}` }));
  let saves = 0;
  const queue = new RunQueue({
    owner: 'me',
    concurrency: 20,
    strandedAfterMs: 0,
    logger: createLogger('silent'),
    environments: () => [{ id: 'e' }],
    queue: {
      going: async () => [],
      groups: async (states: string[]) =>
        states.includes('QUEUED') && queued.length > 0 ? [{ environmentId: 'e' }] : [],
      claim: async () => queued.pop(),
      held: async () => [],
      renewLeases: async () => undefined,
    },
    execute: async () => ({ state: 'SUCCEEDED' }),
    runs: {
      change: async () => {
        saves += 1;
        throw new Error('the database is away');
      },
    },
    dispatches: { of: async () => [] },
  } as unknown as RunQueueOptions);
  queue.start();
  await expect.poll(() => saves).toBe(20);
  await queue.stop();
  expect(warnings).toEqual([]);
});
