import { createLogger } from 'base/logger';
import { beforeEach, expect, it } from 'vitest';
import { signal } from '../../packages/base/test/support/signal.ts';
import { createLossyService } from '../../packages/runs-client/test/support/lossy-service.ts';
import type { FollowingDeps } from '../../src/following/track.ts';
import { createRequestLeases } from '../../src/store/requests/request-leases.ts';
import type { FollowedRequest, RequestChanges } from '../../src/store/requests/request-row.ts';
import { createRequests } from '../../src/store/requests/requests.ts';
import { createStore } from '../../src/store/store.ts';
import { acceptDue } from '../support/database/accept-due.ts';
import { describeOnDatabase } from '../support/database/databases.ts';
import { attribution, caps, files } from '../support/posting/no-files.ts';
import { advanceLeased } from './advance-leased.ts';
import { posted } from './one-request.ts';

const asked = { prompt: 'Mend the login test', title: 'Mend' };

/** Two replicas handle one request each. The service keeps neither idempotency keys nor metadata. */
describeOnDatabase('two identical requests whose creates are ambiguous', (database) => {
  beforeEach(async () => {
    await database().deleteFrom('requests').execute();
  });

  const leases = () => createRequestLeases(database());

  async function leaseTwins(changes: RequestChanges): Promise<FollowedRequest[]> {
    for (const id of ['r1', 'r2']) {
      const from = { teamId: 'T1', creatorId: 'U1', channelId: 'C1' };
      const config = {};
      const acceptedAt = Date.now();
      await acceptDue(database(), { id, ...from, ...asked, config, acceptedAt });
    }
    for (const lease of await leases().claim('setup', -1, 2))
      await leases().record(lease, { ...posted, ...changes });
    return leases().claim('test', 60_000, 2);
  }

  async function start() {
    const service = createLossyService({ nextFault: () => 'none', keepsMetadata: false });
    function replica(changes: Partial<FollowingDeps['requests']> = {}) {
      return {
        ...createStore(database()).following,
        requests: { ...createRequests(database()), ...changes },
        files,
        attribution,
        caps,
        runs: service.client({ settleMs: 60_000 }).runs,
        logger: createLogger('silent'),
      };
    }
    const runIds = async () => {
      const rows = await database().selectFrom('requests').select('run_id').execute();
      return rows.map(({ run_id: runId }) => runId).sort();
    };
    return { service, replica, runIds };
  }

  async function works(parts: Parameters<typeof advanceLeased>[0]) {
    await database().updateTable('requests').set({ lease_until: 0, due_at: 1 }).execute();
    for (const leased of await leases().claim('test', 60_000, 2))
      await advanceLeased(parts, leased);
  }

  it('never take the same run, even if both look before either has written', async () => {
    const { service, replica, runIds } = await start();
    const twins = await leaseTwins({ createBeganAt: Date.now() });
    service.add(asked);
    service.add(asked);
    const [bothAsked, tell] = signal();
    let waiting = 0;
    const findByRunIds = async (serviceId: string, ids: readonly string[]) => {
      const found = await createRequests(database()).findByRunIds(serviceId, ids);
      waiting += 1;
      if (waiting === 2) tell();
      if (waiting <= 2) await bothAsked;
      return found;
    };
    await Promise.all(twins.map((twin) => advanceLeased(replica({ findByRunIds }), twin)));
    await works(replica());
    expect(await runIds()).toEqual(['run-1', 'run-2']);
    expect(service.runs).toHaveLength(2);
  });

  it('look again when the other took the run of their create', async () => {
    const { service, replica, runIds } = await start();
    const [twin] = await leaseTwins({ createBeganAt: null });
    if (!twin) throw new Error('nothing is due');
    service.add(asked);
    const parts = replica();
    const { create } = parts.runs;
    const taking = (async (...args: Parameters<typeof create>) => {
      const created = await create(...args);
      const other = { step: 'following', run_id: created.run_id } as const;
      await database().updateTable('requests').set(other).where('id', '<>', twin.id).execute();
      return created;
    }) as unknown as typeof create;
    await advanceLeased({ ...parts, runs: { ...parts.runs, create: taking } }, twin);
    await works(parts);
    expect(await runIds()).toEqual(['run-1', 'run-2']);
    expect(service.runs).toHaveLength(2);
  });
});
