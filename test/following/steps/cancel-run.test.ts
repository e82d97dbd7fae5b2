import { RunsApiError } from 'runs-client/runs-api-error';
import { expect, it, vi } from 'vitest';
import type { FollowingDeps } from '../../../src/following/track.ts';
import { createMessagePosts } from '../../../src/store/outbox/message-posts.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import { createRequestMarks } from '../../../src/store/requests/request-marks.ts';
import type { RequestChanges } from '../../../src/store/requests/request-row.ts';
import { pendingRun } from '../../../src/store/requests/request-row.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { aRun } from '../../support/builders.ts';
import { advanceLeased } from '../advance-leased.ts';
import { posted, useOneRequest } from '../one-request.ts';

const { database, leased, createParts, current, leaseAgain } = useOneRequest();
const click = (userId = 'U1') => createRequestMarks(database()).askCancel('r1', userId, Date.now());

const run = aRun();
const later = () => Date.now() + 60_000;
const following = { ...posted, step: 'following', runId: 'run-1', run } as const;
const canceled = { cancelAskedAt: 5, cancelAskedBy: 'U1' } as const;

const answering = (answer: () => Promise<unknown>) => {
  const cancel = vi.fn(answer);
  const runs = { cancel, get: async () => run } as unknown as FollowingDeps['runs'];
  return { cancel, parts: createParts({ runs }) };
};
const accepts = () => answering(async () => ({ run_id: 'run-1' }));
const rejects = (code: RunsApiError['code'], status?: number) =>
  answering(async () => {
    throw new RunsApiError({ code, status, message: 'no' });
  });

it('asks the service once, however many people click and however often the request is advanced', async () => {
  const { cancel, parts } = accepts();
  await leased({ ...following, nextPollAt: later() });
  expect([await click('U1'), await click('U2'), await click('U1')]).toEqual([true, false, false]);
  await advanceLeased(parts, await leaseAgain());
  await database().updateTable('requests').set({ due_at: 1 }).execute();
  await advanceLeased(parts, await leaseAgain());
  expect(cancel).toHaveBeenCalledTimes(1);
  expect(cancel).toHaveBeenCalledWith('run-1', expect.anything());
  expect(await current()).toMatchObject({ cancelAskedBy: 'U1', cancelOutcome: 'accepted' });
});

it('makes a request due in the same write as the click, also while someone works on it', async () => {
  const { cancel, parts } = accepts();
  const request = await leased({ ...following, nextPollAt: later() });
  await click();
  await advanceLeased(parts, request);
  expect(cancel).not.toHaveBeenCalled();
  await advanceLeased(parts, await leaseAgain());
  expect(cancel).toHaveBeenCalledTimes(1);
});

it.each([
  'conflict',
  'connection',
  'timeout',
  'server_error',
  'rate_limited',
  'unauthorized',
] as const)('asks again later after "%s"', async (code) => {
  const { parts } = rejects(code);
  const askedAt = Date.now();
  const dueAt = await advanceLeased(
    parts,
    await leased({ ...following, ...canceled, cancelAskedAt: askedAt, nextPollAt: later() }),
  );
  expect(dueAt).toBeGreaterThan(askedAt + 500);
  expect(dueAt).toBeLessThan(Date.now() + 5_000);
  expect(await current()).toMatchObject({ cancelOutcome: null, cancelRetryAt: dueAt });
});

it('waits until it is time to ask again', async () => {
  const { cancel, parts } = accepts();
  const retryAt = Date.now() + 20_000;
  const waiting = { ...following, ...canceled, cancelRetryAt: retryAt, nextPollAt: later() };
  await advanceLeased(parts, await leased(waiting));
  expect(cancel).not.toHaveBeenCalled();
  expect(await current()).toMatchObject({ cancelRetryAt: retryAt });
});

it.each([
  ['not_found', 404, 'not_offered'],
  ['client_error', 405, 'not_offered'],
  ['unprocessable', 422, 'not_cancelable'],
  ['bad_request', 400, 'already_ended'],
  ['forbidden', 403, 'forbidden'],
] as const)('takes "%s" with status %i as an answer: %s', async (code, status, outcome) => {
  const { cancel, parts } = rejects(code, status);
  await advanceLeased(parts, await leased({ ...following, ...canceled, nextPollAt: later() }));
  expect(await current()).toMatchObject({ step: 'following', cancelOutcome: outcome });
  await database().updateTable('requests').set({ due_at: 1 }).execute();
  await advanceLeased(parts, await leaseAgain());
  expect(cancel).toHaveBeenCalledTimes(1);
});

it("asks again when the service doesn't know a run that it has just created", async () => {
  const { parts } = rejects('not_found', 404);
  await advanceLeased(
    parts,
    await leased({ ...following, run: null, ...canceled, nextPollAt: later() }),
  );
  expect(await current()).toMatchObject({ cancelOutcome: null });
});

it("doesn't cancel a run that has ended", async () => {
  const { cancel, parts } = accepts();
  const ended = aRun({ state: 'SUCCEEDED', updated_at: new Date().toISOString() });
  parts.runs.get = async () => ended;
  await leased({ ...following, nextPollAt: later() });
  await database()
    .updateTable('requests')
    .set({ pending_update_json: pendingRun('r1', ended), pending_update_at: 1 })
    .execute();
  await click();
  await advanceLeased(parts, await leaseAgain());
  expect(cancel).not.toHaveBeenCalled();
  expect(await current()).toMatchObject({ step: 'ended', run: { state: 'SUCCEEDED' } });
});

it('follows a run again when someone cancels it, because they want to see it end', async () => {
  const { parts } = accepts();
  await advanceLeased(parts, await leased({ ...following, ...canceled, unfollowedAt: 4 }));
  expect(await current()).toMatchObject({ unfollowedAt: null, cancelOutcome: 'accepted' });
});

const before: RequestChanges[] = [
  {},
  posted,
  { ...posted, problem: { code: 'connection', message: '', since: 1 } },
];

it.each(before)('creates nothing when the cancel comes before the create: %j', async (changes) => {
  const create = vi.fn();
  await leased(changes);
  await click();
  const parts = createParts({ runs: { create } });
  await createMessagePosts(database()).postponed('r1');
  await advanceLeased(parts, await leaseAgain());
  expect(create).not.toHaveBeenCalled();
  const problem = { code: 'canceled_before_start' };
  expect(await current()).toMatchObject({ step: 'ended', runId: null, problem });
  const viewer = { teamId: 'T1', userId: 'U1' };
  const filter = { viewer, state: 'cancelled' } as const;
  expect(await createRequestList(database()).page(filter, { limit: 5 })).toHaveLength(1);
});

it('cancels the run as soon as it is known when the cancel comes during the create', async () => {
  const create = async () => {
    await click();
    return { run_id: 'run-1', state: 'QUEUED' };
  };
  const cancel = vi.fn(async () => ({ run_id: 'run-1' }));
  const get = async () => run;
  const runs = { create, cancel, get } as unknown as FollowingDeps['runs'];
  const dueAt = await advanceLeased(createParts({ runs }), await leased(posted));
  expect(dueAt).toBeLessThanOrEqual(Date.now());
  await advanceLeased(createParts({ runs }), await leaseAgain());
  expect(cancel).toHaveBeenCalledTimes(1);
});

it.each([
  ['found: cancels it', { outcome: 'found', run }, 'following'],
  ['not there: creates none', { outcome: 'none' }, 'ended'],
] as const)(
  'looks first for the run of an interrupted create, which is %s',
  async (_, found, step) => {
    const create = vi.fn();
    const cancel = vi.fn(async () => ({ run_id: 'run-1' }));
    const runs = { create, cancel, get: async () => run, findCreated: async () => found };
    const parts = createParts({ runs: runs as unknown as FollowingDeps['runs'] });
    await advanceLeased(parts, await leased({ ...posted, ...canceled, createBeganAt: Date.now() }));
    if (step === 'following') await advanceLeased(parts, await leaseAgain());
    expect(create).not.toHaveBeenCalled();
    expect(cancel).toHaveBeenCalledTimes(step === 'following' ? 1 : 0);
    expect((await current()).step).toBe(step);
  },
);

it("is forgotten when a request that wasn't started is tried again", async () => {
  const problem = { code: 'unprocessable', message: '', since: 7 };
  await leased({ ...posted, ...canceled, step: 'not_started', problem });
  await createRequests(database()).tryAgain('r1', null);
  expect(await current()).toMatchObject({ step: 'posted', cancelAskedAt: null });
});
