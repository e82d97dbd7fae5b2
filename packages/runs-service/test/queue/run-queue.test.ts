import { createLogger } from 'base/logger';
import { expect, it, onTestFinished, vi } from 'vitest';
import { RunQueue, type RunQueueOptions } from '../../src/queue/run-queue.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

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

it('leases are renewed while a round of the queue waits for the database', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const renewLeases = vi.fn(async () => undefined);
  let answer = () => {};
  const groups = () =>
    new Promise((resolve) => {
      answer = () => resolve([]);
    });
  const queue = new RunQueue({
    owner: 'me',
    concurrency: 1,
    strandedAfterMs: 0,
    logger: createLogger('silent'),
    environments: () => [{ id: 'e' }],
    queue: { going: async () => [], groups, renewLeases },
    dispatches: { of: async () => [] },
  } as unknown as RunQueueOptions);
  queue.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(renewLeases.mock.calls.length).toBeGreaterThan(10);
  const stopped = queue.stop();
  answer();
  await stopped;
});

it('a run that its process is leaving can be taken, once that is over', async () => {
  const environment = { id: 'e', place: 'command' };
  const run = { id: 'r', environment_id: 'e', restarts: 0, cancel_requested: 0 };
  const held = { isOurs: true };
  const followed: { leaving: AbortSignal; leave: () => void }[] = [];
  const adopted: string[] = [];
  const queue = new RunQueue({
    owner: 'me',
    concurrency: 1,
    strandedAfterMs: 0,
    logger: createLogger('silent'),
    environments: () => [environment],
    queue: {
      going: async () => [],
      groups: async () => [],
      renewLeases: async () => undefined,
      held: async () => (held.isOurs ? [run] : []),
    },
    dispatches: { of: async () => [] },
    leases: {
      adopt: async (id: string) => {
        adopted.push(id);
        return run;
      },
      release: async () => undefined,
    },
    executeElsewhere: (_: unknown, { leaving }: { leaving: AbortSignal }) =>
      new Promise((resolve) => followed.push({ leaving, leave: () => resolve(undefined) })),
  } as unknown as RunQueueOptions);
  queue.start();
  onTestFinished(() => {
    for (const { leave } of followed) leave();
    return queue.stop();
  });
  await queue.take('r');
  await queue.take('r');
  expect(adopted).toHaveLength(1);
  held.isOurs = false;
  await expect.poll(() => followed[0]?.leaving.aborted).toBe(true);
  const taking = queue.take('r');
  held.isOurs = true;
  followed[0]?.leave();
  await taking;
  expect(adopted).toHaveLength(2);
  expect(followed).toHaveLength(2);
  expect(queue.activeRuns).toBe(1);
});
