import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { RunQueue, type RunQueueOptions } from '../../../src/runs-service/queue/run-queue.ts';

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
