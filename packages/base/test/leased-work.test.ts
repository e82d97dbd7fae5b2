import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LeasedWork, type Leases } from '../src/leased-work.ts';
import { createLogger } from '../src/logger.ts';

type Row = { id: string; version: number; failures: number };

function aWorker({ run = async (): Promise<null> => null } = {}) {
  const due: Row[] = [];
  const claim: Leases<Row, object>['claim'] = async () => due.splice(0);
  const release: Leases<Row, object>['release'] = async () => [];
  const leases = {
    claim: vi.fn(claim),
    nextDueInMs: vi.fn(async () => (due.length > 0 ? 0 : undefined)),
    renew: vi.fn<Leases<Row, object>['renew']>(async () => undefined),
    release: vi.fn(release),
  } satisfies Leases<Row, object>;
  const atStart = vi.fn(async () => undefined);
  const worker = new LeasedWork<Row, object>({
    what: 'row',
    leases,
    atStart,
    atOnce: 2,
    leaseMs: 60_000,
    askEveryMs: 5_000,
    task: () => ({ run, changes: () => ({}) }),
    logger: createLogger('silent'),
  });
  onTestFinished(() => worker.stop());
  return { worker, due, leases, atStart };
}

it('leases nothing while nothing is due, so that an idle process writes nothing', async () => {
  const { worker, due, leases } = aWorker();
  worker.start();
  await expect.poll(() => leases.nextDueInMs.mock.calls.length).toBe(1);
  worker.wake();
  await expect.poll(() => leases.nextDueInMs.mock.calls.length).toBe(2);
  expect(leases.claim).not.toHaveBeenCalled();
  due.push({ id: 'r1', version: 1, failures: 0 });
  worker.wake();
  await expect.poll(() => leases.release.mock.calls.length).toBe(1);
  expect(leases.claim).toHaveBeenCalledTimes(1);
});

it('repeats what it does at its start until that succeeds, and never again', async () => {
  const { worker, leases, atStart } = aWorker();
  atStart.mockRejectedValueOnce(new Error('no database'));
  worker.start();
  await expect.poll(() => atStart.mock.calls.length).toBe(1);
  worker.wake();
  await expect.poll(() => leases.nextDueInMs.mock.calls.length).toBe(1);
  worker.wake();
  await expect.poll(() => leases.nextDueInMs.mock.calls.length).toBe(2);
  expect(atStart).toHaveBeenCalledTimes(2);
});

it('leases nothing when it adopted work while it asked what is due', async () => {
  const { worker, due, leases } = aWorker();
  const end = new AbortController();
  const working = once(end.signal, 'abort').then(() => null);
  leases.nextDueInMs.mockImplementationOnce(async () => {
    for (const id of ['a1', 'a2', 'a3'])
      worker.adopt({ id, version: 1, failures: 0 }, { run: () => working, changes: () => ({}) });
    return 0;
  });
  due.push({ id: 'r1', version: 1, failures: 0 });
  worker.start();
  await expect.poll(() => leases.nextDueInMs.mock.calls.length).toBe(1);
  expect(leases.claim).not.toHaveBeenCalled();
  end.abort();
  await expect.poll(() => due.length).toBe(0);
  for (const [, , limit] of leases.claim.mock.calls as unknown[][])
    expect(limit).toBeGreaterThan(0);
});

/** Lets the worker take a row. Returns the bounds of the time until it's due again, in ms. */
async function delayOf({ worker, due, leases }: ReturnType<typeof aWorker>, row: Row) {
  const before = leases.release.mock.calls.length;
  const beganAt = Date.now();
  due.push(row);
  worker.wake();
  await expect.poll(() => leases.release.mock.calls.length).toBe(before + 1);
  const [finished] = leases.release.mock.lastCall?.[0] ?? [];
  const dueAt = finished?.dueAt ?? Number.NaN;
  return { mostMs: dueAt - beganAt, leastMs: dueAt - Date.now() };
}

it('tries again ever later what fails unexpectedly, until it works once', async () => {
  const run = vi.fn(async (): Promise<null> => null);
  const bed = aWorker({ run });
  bed.worker.start();
  const row = { id: 'r1', version: 1, failures: 0 };
  for (let tries = 0; tries < 4; tries += 1) {
    run.mockRejectedValueOnce(new Error('a bug'));
    expect((await delayOf(bed, row)).mostMs).toBeGreaterThanOrEqual(800 * 2 ** tries);
  }
  await delayOf(bed, row);
  run.mockRejectedValueOnce(new Error('a bug'));
  expect((await delayOf(bed, row)).leastMs).toBeLessThan(3_000);
});

it("works on the others when a row can't be read, and looks at that one again later", async () => {
  const run = vi.fn(async (): Promise<null> => null);
  const bed = aWorker({ run });
  const unreadable = { id: 'r1', version: 1, failures: 0 };
  bed.leases.claim.mockImplementationOnce(async (_owner, _leaseMs, _limit, onUnreadable) => {
    onUnreadable?.(unreadable, new Error('damaged'));
    return bed.due.splice(0);
  });
  bed.due.push({ id: 'r2', version: 1, failures: 0 });
  const beganAt = Date.now();
  bed.worker.start();
  await expect.poll(() => bed.leases.release.mock.calls.flat(2).length).toBe(2);
  expect(run).toHaveBeenCalledTimes(1);
  const again = bed.leases.release.mock.calls.flat(2).find(({ lease }) => lease.id === 'r1');
  expect(again?.dueAt).toBeGreaterThan(beganAt + 50_000);
});

it('asks what others have left behind, although nobody wakes it', async () => {
  vi.useFakeTimers();
  const { worker, leases } = aWorker();
  onTestFinished(() => void vi.useRealTimers());
  worker.start();
  await vi.advanceTimersByTimeAsync(14_000);
  expect(leases.nextDueInMs).toHaveBeenCalledTimes(3);
});

it('renews leases while work lasts, and lets an idle process sleep', async () => {
  vi.useFakeTimers();
  const end = new AbortController();
  const run = () => once(end.signal, 'abort').then(() => null);
  const { worker, due, leases } = aWorker({ run });
  onTestFinished(() => void vi.useRealTimers());
  worker.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(leases.renew).not.toHaveBeenCalled();
  due.push({ id: 'r1', version: 1, failures: 0 });
  await vi.advanceTimersByTimeAsync(45_000);
  expect(leases.renew.mock.calls.map(([, , ids]) => ids)).toEqual([['r1'], ['r1']]);
  end.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(leases.release).toHaveBeenCalledTimes(1);
  expect(leases.renew.mock.calls.slice(2).map(([, , ids]) => ids)).toEqual([[]]);
});
