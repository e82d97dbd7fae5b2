import { expect, it } from 'vitest';
import type { NewNotice } from '../../src/store/outbox/notices.ts';
import { createRequestLeases } from '../../src/store/requests/request-leases.ts';
import { createRequests } from '../../src/store/requests/requests.ts';
import { advanceLeased } from '../support/advance-leased.ts';
import { aRun } from '../support/builders.ts';
import { type OneRequest, place, posted, useOneRequest } from './one-request.ts';

const { database, leased, createParts, current, takeOver, makeDue } = useOneRequest();

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
const postedKeys = ({ notices }: ReturnType<OneRequest['createParts']>) =>
  notices.post.mock.calls.map(([, { key }]) => key);

it('repeats neither of two replies when it is killed between them, even if settings have changed', async () => {
  const request = await leased(ended);
  const parts = createParts({ planned: [inThread, direct], dies: 'end thread' });
  await expect(advanceLeased(parts, request)).rejects.toThrow('killed');
  expect(postedKeys(parts)).toEqual(['end U1', 'end thread']);
  const found = { outcome: 'posted', place } as const;
  const after = createParts({ planned: [notice('end U3', 'U3')], found });
  await advanceLeased(after, request);
  expect(postedKeys(after)).toEqual([]);
  expect((await current()).endNotifiedAt).not.toBeNull();
});

it("posts a later notice when it is due, and isn't done before", async () => {
  const dueAt = Date.now() + 60_000;
  const parts = createParts({ planned: [inThread, { ...direct, dueAt }] });
  expect(await advanceLeased(parts, await leased(ended))).toBeLessThanOrEqual(dueAt);
  expect(postedKeys(parts)).toEqual(['end thread']);
  expect((await current()).endNotifiedAt).toBeNull();
});

it('sends direct messages if the thread is gone', async () => {
  const answers = { 'end thread': { outcome: 'refused', reason: 'thread_not_found' } as const };
  const parts = createParts({ planned: [inThread, direct], answers });
  const request = await leased(ended);
  await advanceLeased(parts, request);
  await advanceLeased(parts, request);
  expect(postedKeys(parts)).toEqual(['end U1', 'end thread', 'end U2']);
});

it("notifies of a request that wasn't started, and of its end after it was tried again", async () => {
  const problem = { code: 'unauthorized', message: '', since: 7 };
  const notStarted = notice('not started 7 thread', null);
  const parts = createParts({ planned: [notStarted] });
  await advanceLeased(parts, await leased({ ...posted, step: 'not_started', problem }));
  expect(postedKeys(parts)).toEqual(['not started 7 thread']);
  await createRequests(database()).tryAgain('r1');
  await takeOver({ step: 'ended', problem: null });
  await makeDue();
  const [request] = await createRequestLeases(database()).claim('test', 60_000, 1);
  if (!request) throw new Error('nothing is due');
  const again = createParts({ planned: [inThread] });
  await advanceLeased(again, request);
  expect(postedKeys(again)).toEqual(['end thread']);
});

it("notifies of the end of a request that was tried again during the notice that it wasn't started", async () => {
  const problem = { code: 'unauthorized', message: '', since: 7 };
  const parts = createParts({ planned: [notice('not started 7 thread', null)] });
  parts.notices.post.mockImplementation(async () => {
    await createRequests(database()).tryAgain('r1');
    return { outcome: 'posted', place };
  });
  await advanceLeased(parts, await leased({ ...posted, step: 'not_started', problem }));
  expect(await current()).toMatchObject({ step: 'posted', endNotifiedAt: null });
});

it("doesn't reply again while an earlier reply may still arrive", async () => {
  const parts = createParts({ planned: [inThread], dies: 'end thread' });
  const request = await leased(ended);
  await expect(advanceLeased(parts, request)).rejects.toThrow('killed');
  const after = createParts({});
  const dueAt = await advanceLeased(after, request);
  expect(after.notices.post).not.toHaveBeenCalled();
  expect(dueAt).toBeGreaterThan(Date.now());
});

it('nudges once while a run waits for input', async () => {
  const nudge = notice('nudge U1', 'U1', { kind: 'nudge' });
  const blocked = aRun({ state: 'BLOCKED' });
  const lookAt = Date.now() + 60_000;
  const parts = createParts({ planned: [nudge] });
  await advanceLeased(
    parts,
    await leased({ ...posted, step: 'following', runId: 'run-1', lookAt, run: blocked }),
  );
  await makeDue();
  await takeOver({ run: blocked });
  await makeDue();
  const [again] = await createRequestLeases(database()).claim('test', 60_000, 1);
  if (!again) throw new Error('nothing is due');
  await advanceLeased(parts, again);
  expect(postedKeys(parts)).toEqual(['nudge U1']);
});
