import { beforeEach, expect, it, vi } from 'vitest';
import type { FollowingParts } from '../../src/following/advance.ts';
import type { FindOutcome, PostOutcome } from '../../src/following/run-messages.ts';
import { fingerprint } from '../../src/following/show-request.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createConnections } from '../../src/store/connections.ts';
import { createNotices, type NewNotice, type Notice } from '../../src/store/notices.ts';
import { createRequestLeases } from '../../src/store/request-leases.ts';
import { createRequestMarks } from '../../src/store/request-marks.ts';
import type { RequestChanges, RunRequest } from '../../src/store/request-row.ts';
import { createRequests } from '../../src/store/requests.ts';
import { createRunLengths } from '../../src/store/run-lengths.ts';
import { advanceLeased } from '../support/advance-leased.ts';
import { aRun } from '../support/builders.ts';
import { useDatabase } from '../support/databases.ts';

const place = { channelId: 'C1', ts: '1.000100' };

const database = useDatabase();
beforeEach(async () => {
  await database().deleteFrom('requests').execute();
  await database().deleteFrom('notices').execute();
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
  planned?: NewNotice[];
  /** Posting the notice of this key is cut off. */
  dies?: string;
  answers?: Record<string, PostOutcome>;
  found?: FindOutcome;
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
      planNudge: vi.fn(async () => ({
        outcome: 'planned' as const,
        notices: changes.planned ?? [],
      })),
      planEnd: vi.fn(async () => ({ outcome: 'planned' as const, notices: changes.planned ?? [] })),
      post: vi.fn(async (_: RunRequest, { key }: Notice) => {
        if (changes.dies === key) throw new Error('killed');
        return changes.answers?.[key] ?? { outcome: 'posted' as const, place };
      }),
      find: vi.fn(async () => changes.found ?? { outcome: 'absent' as const }),
      findDoubles: async () => ({ outcome: 'found' as const, places: [] }),
      mark: vi.fn(async () => undefined),
    },
    toTell: createNotices(database()),
    lengths: createRunLengths(database()),
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
  expect(parts.notices.planEnd).toHaveBeenCalledTimes(1);
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

const ended = { ...posted, step: 'ended', endedAt: 5 } as const;
const notice = (key: string, userId: string | null, changes: Partial<NewNotice> = {}) => ({
  requestId: 'r1',
  kind: 'end' as const,
  key,
  userId,
  names: ['U1', 'U2'],
  toChannel: false,
  dueAt: 5,
  ...changes,
});
const inThread = notice('end thread', null);
const direct = notice('end U1', 'U1', { names: ['U1'] });
const postedKeys = ({ notices }: ReturnType<typeof createParts>) =>
  notices.post.mock.calls.map(([, { key }]) => key);

it('repeats none of two replies when it is killed between them, although plans have changed', async () => {
  const request = await leased(ended);
  const parts = createParts({ planned: [inThread, direct], dies: 'end thread' });
  await expect(advanceLeased(parts, request)).rejects.toThrow('killed');
  expect(postedKeys(parts)).toEqual(['end U1', 'end thread']);
  const found = { outcome: 'posted', place } as const;
  const after = createParts({ planned: [notice('end U3', 'U3')], found });
  await advanceLeased(after, request);
  expect(postedKeys(after)).toEqual([]);
  expect((await current()).repliedAt).not.toBeNull();
});

it('says what is due later then, and is not done before', async () => {
  const dueAt = Date.now() + 60_000;
  const parts = createParts({ planned: [inThread, { ...direct, dueAt }] });
  expect(await advanceLeased(parts, await leased(ended))).toBeLessThanOrEqual(dueAt);
  expect(postedKeys(parts)).toEqual(['end thread']);
  expect((await current()).repliedAt).toBeNull();
});

it('tells those directly who would have been named in a thread that is gone', async () => {
  const answers = { 'end thread': { outcome: 'refused', reason: 'thread_not_found' } as const };
  const parts = createParts({ planned: [inThread, direct], answers });
  const request = await leased(ended);
  await advanceLeased(parts, request);
  await advanceLeased(parts, request);
  expect(postedKeys(parts)).toEqual(['end U1', 'end thread', 'end U2']);
});

it('tells of a request that was not started, and of its end when it was tried again', async () => {
  const problem = { code: 'unauthorized', message: '', since: 7 };
  const notStarted = notice('not started 7 thread', null);
  const parts = createParts({ planned: [notStarted] });
  await advanceLeased(parts, await leased({ ...posted, step: 'not_started', problem }));
  expect(postedKeys(parts)).toEqual(['not started 7 thread']);
  await createRequests(database()).tryAgain('r1');
  await takeOver({ step: 'ended', problem: null });
  await createRequestMarks(database()).makeDue('r1');
  const [request] = await createRequestLeases(database()).claim('test', 60_000, 1);
  if (!request) throw new Error('nothing is due');
  const again = createParts({ planned: [inThread] });
  await advanceLeased(again, request);
  expect(postedKeys(again)).toEqual(['end thread']);
});

it('tells of the end of a request that was tried again while people were told that it was not started', async () => {
  const problem = { code: 'unauthorized', message: '', since: 7 };
  const parts = createParts({ planned: [notice('not started 7 thread', null)] });
  parts.notices.post.mockImplementation(async () => {
    await createRequests(database()).tryAgain('r1');
    return { outcome: 'posted', place };
  });
  await advanceLeased(parts, await leased({ ...posted, step: 'not_started', problem }));
  expect(await current()).toMatchObject({ step: 'posted', repliedAt: null });
});

it('does not reply again while an earlier reply may still come to stand', async () => {
  const parts = createParts({ planned: [inThread], dies: 'end thread' });
  const request = await leased(ended);
  await expect(advanceLeased(parts, request)).rejects.toThrow('killed');
  const after = createParts({});
  const dueAt = await advanceLeased(after, request);
  expect(after.notices.post).not.toHaveBeenCalled();
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

it('stops asking for a run that was quiet for a week, until somebody wants it followed again', async () => {
  const weekMs = 7 * 24 * 60 * 60_000;
  const quiet = aRun({ updated_at: new Date(Date.now() - weekMs - 60_000).toISOString() });
  const get = vi.fn(async () => quiet);
  const parts = createParts({ runs: { get } as unknown as FollowingParts['runs'] });
  await advanceLeased(parts, await leased({ ...following, lookAt: 1 }));
  expect(await current()).toMatchObject({
    step: 'following',
    unfollowedAt: expect.any(Number),
    problem: { code: 'followed_long_enough' },
  });
  await againAdvance(parts);
  expect(get).toHaveBeenCalledTimes(1);
  expect(await createRequestMarks(database()).followAgain('r1', Date.now())).toBe(true);
  await againAdvance(parts);
  expect(get).toHaveBeenCalledTimes(2);
  expect(await current()).toMatchObject({ unfollowedAt: null, problem: null });
});

async function againAdvance(parts: ReturnType<typeof createParts>): Promise<void> {
  const leases = createRequestLeases(database());
  await database().updateTable('requests').set({ due_at: 1, lease_until: 0 }).execute();
  const [request] = await leases.claim('test', 60_000, 1);
  if (!request) throw new Error('nothing is due');
  await advanceLeased(parts, request);
}

it('shows what it showed before when the answer to an update was lost and the change is undone', async () => {
  const lookAt = Date.now() + 60_000;
  const parts = createParts({});
  await advanceLeased(parts, await leased({ ...following, lookAt }));
  const { shown } = await current();
  const lost = { outcome: 'later', reason: 'lost', retryAfterMs: 0 } as const;
  const problem = { code: 'connection', message: '', since: 5 };
  const render = ({ problem: now }: RunRequest) => ({ problem: now?.code });
  const losing = createParts({ messages: { render, update: async () => lost } });
  await createRequestMarks(database()).makeDue('r1');
  await takeOver({ shown: fingerprint({}), problem });
  await createRequestMarks(database()).makeDue('r1');
  const [told] = await createRequestLeases(database()).claim('test', -1, 1);
  if (!told) throw new Error('nothing is due');
  await advanceLeased(losing, told);
  expect((await current()).shown).toBeNull();
  expect(shown).not.toBeNull();
});

it('nudges once while a run waits for input, whatever comes after', async () => {
  const nudge = notice('nudge U1', 'U1', { kind: 'nudge' });
  const blocked = aRun({ state: 'BLOCKED' });
  const lookAt = Date.now() + 60_000;
  const parts = createParts({ planned: [nudge] });
  await advanceLeased(parts, await leased({ ...following, lookAt, run: blocked }));
  await createRequestMarks(database()).makeDue('r1');
  await takeOver({ run: blocked });
  await createRequestMarks(database()).makeDue('r1');
  const [again] = await createRequestLeases(database()).claim('test', 60_000, 1);
  if (!again) throw new Error('nothing is due');
  await advanceLeased(parts, again);
  expect(postedKeys(parts)).toEqual(['nudge U1']);
});
