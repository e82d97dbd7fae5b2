import { beforeEach, expect, it, vi } from 'vitest';
import type { FollowingParts } from '../../src/following/advance.ts';
import { fingerprint } from '../../src/following/show-request.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createConnections } from '../../src/store/connections.ts';
import { createRequestLeases } from '../../src/store/request-leases.ts';
import { createRequestMarks } from '../../src/store/request-marks.ts';
import type { RequestChanges, RunRequest } from '../../src/store/request-row.ts';
import { createRequests } from '../../src/store/requests.ts';
import { advanceLeased } from '../support/advance-leased.ts';
import { aRun } from '../support/builders.ts';
import { useDatabase } from '../support/databases.ts';

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
  await leases.record(lease, { failures: 0, ...changes });
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
      findDoubles: async () => ({ outcome: 'found' as const, places: [] }),
      remove: unexpected,
      ...changes.messages,
    },
    notices: {
      reply: vi.fn(async () => ({ outcome: 'nobody' as const })),
      find: async () => ({ outcome: 'absent' as const }),
      findDoubles: async () => ({ outcome: 'found' as const, places: [] }),
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
  const dueAt = await advanceLeased(parts, await leased(posted));
  expect(dueAt).toBeLessThan(before + 10_000);
});

it('shows at once what became of a run that had to be looked for', async () => {
  const run = aRun({ state: 'SUCCEEDED' });
  const findCreated = async () => ({ outcome: 'found', run, isSure: true });
  const parts = createParts({ runs: { findCreated } as unknown as FollowingParts['runs'] });
  await advanceLeased(parts, await leased({ ...posted, createBeganAt: 5 }));
  expect(await current()).toMatchObject({ step: 'ended', run: { state: 'SUCCEEDED' } });
  expect(parts.notices.reply).toHaveBeenCalledTimes(1);
});

/** Another replica takes the request over, as it does when the lease has run out, and does this to it. */
async function takeOver(changes: RequestChanges = {}) {
  await database().updateTable('requests').set({ lease_until: 0 }).execute();
  const leases = createRequestLeases(database());
  const [lease] = await leases.claim('other', 60_000, 1);
  if (!lease) throw new Error('nothing to take over');
  await leases.record(lease, { failures: 0, ...changes });
  await leases.release([{ lease, changes: {}, dueAt: null }]);
}

it('posts nothing when somebody else has taken the request over while it looked for its message', async () => {
  const request = await leased({ postBeganAt: 5 });
  const find = async () => {
    await takeOver();
    return { outcome: 'absent' as const };
  };
  const parts = createParts({ messages: { find } });
  await expect(advanceLeased(parts, request)).rejects.toThrow('somebody else');
  expect(parts.messages.post).not.toHaveBeenCalled();
});

it('does not post again while an earlier post may still come to stand', async () => {
  const parts = createParts({});
  const dueAt = await advanceLeased(parts, await leased({ postBeganAt: Date.now() }));
  expect(parts.messages.post).not.toHaveBeenCalled();
  expect(dueAt).toBeGreaterThan(Date.now());
});

it('does not reply again while an earlier reply may still come to stand', async () => {
  const parts = createParts({});
  const ended = { ...posted, step: 'ended', endedAt: 5, replyBeganAt: Date.now() } as const;
  const dueAt = await advanceLeased(parts, await leased(ended));
  expect(parts.notices.reply).not.toHaveBeenCalled();
  expect(dueAt).toBeGreaterThan(Date.now());
});

it('posts again at once what Slack has surely not taken', async () => {
  const late = {
    outcome: 'later',
    reason: 'ratelimited',
    retryAfterMs: 0,
    isUndone: true,
  } as const;
  const parts = createParts({ messages: { post: async () => late } });
  await advanceLeased(parts, await leased({}));
  expect(await current()).toMatchObject({ postBeganAt: null, failures: 1 });
});

const following = { ...posted, step: 'following', runId: 'run-1' } as const;

it('shows what it showed before when the answer to an update was lost and the change is undone', async () => {
  const lookAt = Date.now() + 60_000;
  const parts = createParts({});
  await advanceLeased(parts, await leased({ ...following, lookAt }));
  const { shown } = await current();
  const lost = { outcome: 'later', reason: 'lost', retryAfterMs: 0 } as const;
  const problem = { code: 'connection', message: '', since: 5 };
  const render = ({ problem: now }: RunRequest) => ({ problem: now?.code });
  const losing = createParts({ messages: { render, update: async () => lost } });
  await createRequestMarks(database()).makeDue('r1', 1);
  await takeOver({ shown: fingerprint({}), problem });
  await createRequestMarks(database()).makeDue('r1', 1);
  const [told] = await createRequestLeases(database()).claim('test', -1, 1);
  if (!told) throw new Error('nothing is due');
  await advanceLeased(losing, told);
  expect((await current()).shown).toBeNull();
  expect(shown).not.toBeNull();
});
