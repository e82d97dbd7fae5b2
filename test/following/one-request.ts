import { createLogger } from 'base/logger';
import { beforeEach } from 'vitest';
import type { FollowingDeps } from '../../src/following/track.ts';
import { createRequestLeases } from '../../src/store/requests/request-leases.ts';
import type { RequestChanges } from '../../src/store/requests/request-row.ts';
import { createStore } from '../../src/store/store.ts';
import { acceptDue } from '../support/database/accept-due.ts';
import { useDatabase } from '../support/database/databases.ts';
import { storedRequest } from '../support/database/stored-request.ts';
import { attribution, caps, files } from '../support/posting/no-files.ts';

export const posted = { step: 'posted' } as const;

/** Prepares one request at the step that a test needs, and the dependencies that continue it. */
export function useOneRequest() {
  const database = useDatabase();
  beforeEach(async () => {
    await database().deleteFrom('requests').execute();
    await database().deleteFrom('outbox').execute();
  });

  /** Stores a request at this step and leases it. */
  async function leased(changes: RequestChanges) {
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    await acceptDue(database(), { id: 'r1', ...asked, config: {}, acceptedAt: 1 });
    const leases = createRequestLeases(database());
    const [lease] = await leases.claim('setup', -1, 1);
    if (!lease) throw new Error('nothing is due');
    await leases.record(lease, { failures: 0, ...changes });
    const [request] = await leases.claim('test', 60_000, 1);
    if (!request) throw new Error('nothing is due');
    return request;
  }

  function createDeps({ runs }: { runs?: Partial<FollowingDeps['runs']> } = {}) {
    const unexpected = () => {
      throw new Error('not expected');
    };
    return {
      ...createStore(database()).following,
      runs: {
        create: unexpected,
        get: unexpected,
        findCreated: unexpected,
        cancel: unexpected,
        publish: unexpected,
        changePullRequest: unexpected,
        answer: unexpected,
        followUp: unexpected,
        serviceNowMs: () => undefined,
        ...runs,
      },
      files,
      attribution,
      caps,
      logger: createLogger('silent'),
    } satisfies FollowingDeps;
  }

  const current = () => storedRequest(database(), 'r1');

  /** Takes the request over like another replica after the lease ended, and changes it. */
  async function takeOver(changes: RequestChanges = {}) {
    await database().updateTable('requests').set({ lease_until: 0 }).execute();
    const leases = createRequestLeases(database());
    const [lease] = await leases.claim('other', 60_000, 1);
    if (!lease) throw new Error('nothing to take over');
    await leases.record(lease, { failures: 0, ...changes });
    await leases.release([{ lease, changes: {}, dueAt: null }]);
  }

  const makeDue = () => database().updateTable('requests').set({ due_at: 1 }).execute();

  /** Leases the request again, like a follower when it's due. */
  async function leaseAgain() {
    await database().updateTable('requests').set({ lease_until: 0 }).execute();
    const [request] = await createRequestLeases(database()).claim('test', 60_000, 1);
    if (!request) throw new Error('nothing is due');
    return request;
  }

  return { database, leased, createParts: createDeps, current, takeOver, makeDue, leaseAgain };
}
