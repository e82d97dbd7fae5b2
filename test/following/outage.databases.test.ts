import { createLogger } from 'base/logger';
import { beforeEach, expect, it } from 'vitest';
import { sendJson, startApiServer } from '../../packages/runs-client/test/support/api-server.ts';
import { sweepTask } from '../../src/following/sweeps/sweep.ts';
import type { SweepDeps } from '../../src/following/sweeps/sweep-changes.ts';
import type { FollowingDeps } from '../../src/following/track.ts';
import { createConnections } from '../../src/store/following/connections.ts';
import { createFollowedRunsStore } from '../../src/store/following/followed-runs.ts';
import { createRequestLeases } from '../../src/store/requests/request-leases.ts';
import type { RequestChanges } from '../../src/store/requests/request-row.ts';
import { createStore } from '../../src/store/store.ts';
import { aRun } from '../support/builders.ts';
import { acceptDue } from '../support/database/accept-due.ts';
import { describeOnDatabase } from '../support/database/databases.ts';
import { passTime } from '../support/database/pass-time.ts';
import { attribution, caps, files } from '../support/posting/no-files.ts';
import { advanceLeased } from './advance-leased.ts';

const never = new AbortController().signal;
const posted = { step: 'posted' } as const;
/** Longer than any wait between two probes or between two attempts of one request. */
const anIntervalMs = 75_000;

describeOnDatabase('a runs service that is away', (database) => {
  beforeEach(async () => {
    for (const table of ['requests', 'outbox', 'connections'] as const)
      await database().deleteFrom(table).execute();
  });

  let accepted = 0;
  async function accept(count: number, changes: (index: number) => RequestChanges) {
    const leases = createRequestLeases(database());
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    for (let index = 0; index < count; index += 1) {
      const id = `r${++accepted}`;
      const acceptedAt = Date.now() - 1_000;
      await acceptDue(database(), { id, ...asked, config: {}, acceptedAt });
      const [lease] = await leases.claim('setup', 60_000, 1);
      if (!lease) throw new Error('nothing is due');
      await leases.record(lease, changes(index));
      await leases.release([{ lease, changes: {}, dueAt: null }]);
    }
    await database().updateTable('requests').set({ due_at: 1 }).execute();
  }

  /** Stores requests whose runs are followed. `wait` stores requests without a run: null if no create has begun. */
  const follow = (count: number) =>
    accept(count, (index) => {
      const run = aRun({ run_id: `run-${index}` });
      return { ...posted, step: 'following', runId: run.run_id, run, nextPollAt: 1 };
    });
  const wait = (count: number, createBeganAt: number | null) => {
    const problem = { code: 'connection', message: '', since: Date.now() };
    return accept(count, () => ({ ...posted, createBeganAt, problem, failures: 1 }));
  };

  /** Starts replicas on one database, with a service that is down. Counts all requests to the service. */
  async function start(replicas: number) {
    let isUp = false;
    const none = { runs: [], page_info: { has_next_page: false } };
    const api = await startApiServer((response, { method }, count) => {
      const isCreate = method === 'POST';
      if (isUp) {
        const created = { run_id: `new-${count}`, state: 'QUEUED' };
        return sendJson(response, 200, isCreate ? created : none);
      }
      return sendJson(response, isCreate ? 401 : 503, { detail: 'nobody is in' });
    });
    const all = Array.from({ length: replicas }, (_, index) => {
      const client = api.client();
      const parts = {
        ...createStore(database()).following,
        followed: createFollowedRunsStore(database()),
        runs: client.runs,
        isListening: () => false,
        files,
        attribution,
        caps,
        logger: createLogger('silent'),
      } satisfies FollowingDeps & SweepDeps;
      return { name: `replica ${index}`, parts };
    });
    await createConnections(database()).wake('default', 0);

    /** Does the work of a follower between two waits. */
    async function sweepIfDue({ name, parts }: (typeof all)[number]): Promise<void> {
      const [connection] = await parts.connections.claim(name, 60_000, 1);
      if (!connection) return;
      const task = sweepTask(parts, connection, () => undefined);
      const dueAt = await task.run(never);
      await parts.connections.release([{ lease: connection, changes: task.changes(), dueAt }]);
    }
    async function advanceDue({ name, parts }: (typeof all)[number]): Promise<void> {
      const leased = await parts.leases.claim(name, 60_000, 1_000);
      await Promise.all(leased.map((each) => advanceLeased(parts, each)));
    }
    return {
      /** Advances the time by one interval. Returns the number of requests that the service received. */
      async interval(): Promise<number> {
        const before = api.received.length;
        await passTime(database(), anIntervalMs);
        await database()
          .updateTable('connections')
          .set((row) => ({ due_at: row('due_at', '-', anIntervalMs) }))
          .execute();
        await Promise.all(all.map(sweepIfDue));
        await Promise.all(all.map(advanceDue));
        return api.received.length - before;
      },
      async sweepNow(): Promise<void> {
        await database().updateTable('connections').set({ due_at: 1 }).execute();
        await Promise.all(all.map(sweepIfDue));
        await Promise.all(all.map(advanceDue));
      },
      /** Sweeps, and works on everything that is due just before the sweep stores its result. */
      async sweepSlowly(): Promise<void> {
        await database().updateTable('connections').set({ due_at: 1 }).execute();
        for (const one of all) {
          const { connections } = one.parts;
          const record: typeof connections.record = async (...args) => {
            await advanceDue(one);
            await connections.record(...args);
          };
          await sweepIfDue({
            ...one,
            parts: { ...one.parts, connections: { ...connections, record } },
          });
        }
        await Promise.all(all.map(advanceDue));
      },
      recover: () => {
        isUp = true;
      },
    };
  }

  it.each([1, 2])('gets one probe per interval from %d replicas', async (count) => {
    await follow(6);
    await wait(3, Date.now());
    await wait(3, null);
    const service = await start(count);
    // Until the first probe fails, nobody knows that the service is down.
    await service.interval();
    const asked: number[] = [];
    for (let round = 0; round < 3; round += 1) asked.push(await service.interval());
    expect(asked).toEqual([1, 1, 1]);
  });

  it('gets one probe also if no run is followed and some requests wait for theirs', async () => {
    await wait(10, Date.now());
    const service = await start(2);
    expect([await service.interval(), await service.interval()]).toEqual([1, 1]);
  });

  it('gets all waiting requests when it is back', async () => {
    await wait(3, null);
    const service = await start(2);
    await service.interval();
    service.recover();
    // The probe succeeds, and the waiting requests are due immediately.
    await service.sweepNow();
    const steps = await database().selectFrom('requests').select('step').execute();
    expect(steps.map(({ step }) => step)).toEqual(['following', 'following', 'following']);
  });

  it('gets requests that were worked on just before it was back', async () => {
    await wait(3, null);
    const service = await start(1);
    await service.interval();
    service.recover();
    await service.sweepSlowly();
    const steps = await database().selectFrom('requests').select('step').execute();
    expect(steps.map(({ step }) => step)).toEqual(['following', 'following', 'following']);
  });

  it("doesn't make a request wait forever: after 15 minutes it tries by itself", async () => {
    await wait(1, null);
    const service = await start(1);
    await service.interval();
    const steps = () => database().selectFrom('requests').select('step').execute();
    expect(await steps()).toEqual([{ step: 'posted' }]);
    const long = { problem_json: JSON.stringify({ code: 'connection', message: '', since: 1 }) };
    await database().updateTable('requests').set(long).execute();
    await service.interval();
    expect(await steps()).toEqual([{ step: 'not_started' }]);
  });
});
