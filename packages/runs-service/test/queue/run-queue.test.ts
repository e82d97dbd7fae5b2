import { createLogger } from 'base/logger';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import { endUpdate } from '../../src/execution/run-end.ts';
import { type ExecuteRemotely, RunQueue } from '../../src/queue/run-queue.ts';
import type { RunGroup } from '../../src/store/queued-runs.ts';
import { createStores, type Stores } from '../../src/store/stores.ts';
import { useDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

const here: ServiceEnvironment = { id: 'e', command: ['true'], repositories: [] };
const remote: ServiceEnvironment = { ...here, runner: 'command' };

describe('the queue of runs', () => {
  const db = useDatabase();

  /** Creates a queue that executes nothing. */
  const aQueue = (
    stores: Stores,
    more: {
      environment?: ServiceEnvironment;
      concurrency?: number;
      executeRemotely?: ExecuteRemotely;
    } = {},
  ) =>
    new RunQueue({
      stores,
      owner: 'me',
      environments: () => [more.environment ?? here],
      concurrency: more.concurrency ?? 1,
      strandedAfterMs: 0,
      executeLocally: async () => ({ state: 'SUCCEEDED' }),
      executeRemotely: more.executeRemotely ?? (async () => undefined),
      endOf: async (_run, end) => endUpdate(end),
      logger: createLogger('silent'),
    });

  it('causes no warning about a leak while many runs wait for the database', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const stores = createStores(db());
    for (let count = 0; count < 20; count += 1)
      await stores.runs.create(aServiceRun({ environment_id: 'e' }));
    let saves = 0;
    const change = async () => {
      saves += 1;
      throw new Error('the database is away');
    };
    const runs = { ...stores.runs, change };
    const queue = aQueue({ ...stores, runs }, { concurrency: 20 });
    queue.start();
    await expect.poll(() => saves).toBe(20);
    await queue.stop();
    expect(warnings).toEqual([]);
  });

  it('renews leases while a round waits for the database', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const renewLeases = vi.fn(async () => undefined);
    let answer = () => {};
    const groups = () =>
      new Promise<RunGroup[]>((resolve) => {
        answer = () => resolve([]);
      });
    const stores = createStores(db());
    const queue = aQueue({
      ...stores,
      queueStore: { ...stores.queueStore, listActive: async () => [], groups, renewLeases },
      dispatches: { ...stores.dispatches, of: async () => [] },
    });
    queue.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(renewLeases.mock.calls.length).toBeGreaterThan(10);
    const stopped = queue.stop();
    answer();
    await stopped;
  });

  it('can take a run that its process is leaving, once that is over', async () => {
    const stores = createStores(db());
    const run = await stores.runs.create(aServiceRun({ environment_id: 'e' }));
    const { id } = run;
    const held = { isOurs: true };
    const followed: { leaving: AbortSignal; leave: () => void }[] = [];
    const adopted: string[] = [];
    const queue = aQueue(
      {
        ...stores,
        queueStore: {
          ...stores.queueStore,
          groups: async () => [],
          held: async () => (held.isOurs ? [run] : []),
        },
        leases: {
          ...stores.leases,
          async adopt(runId) {
            adopted.push(runId);
            return run;
          },
          release: async () => undefined,
        },
      },
      {
        environment: remote,
        executeRemotely: (_, { leaving }) =>
          new Promise((resolve) => followed.push({ leaving, leave: () => resolve(undefined) })),
      },
    );
    queue.start();
    onTestFinished(() => {
      for (const { leave } of followed) leave();
      return queue.stop();
    });
    await queue.take(id);
    await queue.take(id);
    expect(adopted).toHaveLength(1);
    held.isOurs = false;
    await expect.poll(() => followed[0]?.leaving.aborted).toBe(true);
    const taking = queue.take(id);
    held.isOurs = true;
    followed[0]?.leave();
    await taking;
    expect(adopted).toHaveLength(2);
    expect(followed).toHaveLength(2);
    expect(queue.activeRuns).toBe(1);
  });
});
