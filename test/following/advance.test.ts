import { beforeEach, expect, it, vi } from 'vitest';
import { advance, type FollowingParts } from '../../src/following/advance.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createConnections } from '../../src/store/connections.ts';
import { createRequestLeases } from '../../src/store/request-leases.ts';
import type { RequestChanges } from '../../src/store/request-row.ts';
import { createRequests } from '../../src/store/requests.ts';
import { aRun } from '../support/builders.ts';
import { useDatabase } from '../support/databases.ts';

const never = new AbortController().signal;
const place = { channelId: 'C1', ts: '1.000100' };

const database = useDatabase();
beforeEach(async () => {
  await database().deleteFrom('requests').execute();
});

/** A request that has come so far, under lease. */
async function leased(changes: RequestChanges) {
  const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
  await createRequests(database()).accept({ id: 'r1', ...asked, config: {}, acceptedAt: 1 });
  const leases = createRequestLeases(database());
  const [lease] = await leases.claim('setup', -1, 1);
  if (!lease) throw new Error('nothing is due');
  await leases.record(lease, changes);
  const [request] = await leases.claim('test', 60_000, 1);
  if (!request) throw new Error('nothing is due');
  return request;
}

const posted = { step: 'posted', messageChannelId: place.channelId, messageTs: place.ts } as const;

function createParts(changes: {
  runs?: Partial<FollowingParts['runs']>;
  messages?: Partial<FollowingParts['messages']>;
}) {
  const unexpected = () => {
    throw new Error('not expected');
  };
  return {
    requests: createRequests(database()),
    leases: createRequestLeases(database()),
    connections: createConnections(database()),
    runs: { create: unexpected, get: unexpected, findCreated: unexpected, ...changes.runs },
    messages: {
      room: () => 0,
      render: ({ step, run }) => ({ step, state: run?.state }),
      post: vi.fn(async () => ({ outcome: 'posted' as const, place })),
      find: async () => ({ outcome: 'absent' as const }),
      update: vi.fn(async () => ({ outcome: 'shown' as const })),
      ...changes.messages,
    },
    notices: {
      reply: vi.fn(async () => ({ outcome: 'nobody' as const })),
      find: async () => ({ outcome: 'absent' as const }),
      mark: async () => undefined,
    },
    logger: createLogger('silent'),
  } satisfies FollowingParts;
}

const current = async () => {
  const request = await createRequests(database()).find('r1');
  if (!request) throw new Error('the request is gone');
  return request;
};

it('looks at a new run soon when no sweep tells of it: one may have passed before it was known', async () => {
  const create = async () => ({ run_id: 'run-1', state: 'QUEUED' });
  const parts = createParts({ runs: { create } as unknown as FollowingParts['runs'] });
  const before = Date.now();
  const dueAt = await advance(parts, await leased(posted), never);
  expect(dueAt).toBeLessThan(before + 10_000);
});

it('shows at once what became of a run that had to be looked for', async () => {
  const run = aRun({ state: 'SUCCEEDED' });
  const findCreated = async () => ({ outcome: 'found', run, isSure: true });
  const parts = createParts({ runs: { findCreated } as unknown as FollowingParts['runs'] });
  await advance(parts, await leased({ ...posted, createBeganAt: 5 }), never);
  expect(await current()).toMatchObject({ step: 'ended', run: { state: 'SUCCEEDED' } });
  expect(parts.notices.reply).toHaveBeenCalledTimes(1);
});

it('posts nothing when somebody else has taken the request over while it looked for its message', async () => {
  const request = await leased({ postBeganAt: 5 });
  const find = async () => {
    await database().updateTable('requests').set({ lease_until: 0 }).execute();
    await createRequestLeases(database()).claim('other', 60_000, 1);
    return { outcome: 'absent' as const };
  };
  const parts = createParts({ messages: { find } });
  await expect(advance(parts, request, never)).rejects.toThrow('somebody else');
  expect(parts.messages.post).not.toHaveBeenCalled();
});
