import { beforeEach, describe, expect, it, vi } from 'vitest';
import { describeAttempt } from '../../src/create-attempt.ts';
import {
  type CreateFault,
  createLossyService,
  type LossyOptions,
} from '../support/lossy-service.ts';
import { startVirtualTime } from '../support/virtual-time.ts';

const request = { prompt: 'Mend the login test', title: 'Mend' };
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
// Offsets below and above five minutes, the difference that the client allows if it doesn't know the service's time.
const offsets = [secondMs, 4 * minuteMs + 50 * secondMs, 7 * minuteMs, 24 * 60 * minuteMs].flatMap(
  (ms) => [ms, -ms],
);
const services = [
  { filters: true, sendsDate: true },
  { filters: false, sendsDate: true },
  { filters: true, sendsDate: false },
  { filters: false, sendsDate: false },
];
const cases = services.flatMap((service) => offsets.map((offset) => ({ ...service, offset })));
const options = { timeoutMs: 60_000, maxRetries: 0 };

beforeEach(startVirtualTime);

/** Starts a service without metadata or idempotency keys, and clocks that the test sets. */
function start(more: Partial<LossyOptions> & { offset: number }) {
  let aheadMs = more.offset;
  let nextFault: CreateFault = 'none';
  const service = createLossyService({
    ...more,
    nextFault: () => nextFault,
    keepsMetadata: false,
    clockAheadMs: () => aheadMs,
  });
  const { runs } = service.client({ settleMs: 60 });
  const setDate = (byMs: number) => void vi.setSystemTime(Date.now() + byMs);
  return {
    service,
    runs,
    seeCreation: async () => {
      const { run_id: runId } = await runs.create({ prompt: 'Another' });
      await runs.get(runId);
    },
    faultNext: (fault: CreateFault) => {
      nextFault = fault;
    },
    setServiceClock: (byMs: number) => {
      aheadMs += byMs;
    },
    passTime: setDate,
    setOurClock(byMs: number) {
      setDate(byMs);
      aheadMs -= byMs;
    },
  };
}

describe.each(cases)('a service $offset ms ahead (Date: $sendsDate, filters: $filters)', (kind) => {
  it('makes one run although the response is lost, once its time is known', async () => {
    const { service, runs, seeCreation, faultNext } = start(kind);
    await seeCreation();
    faultNext('hang up after');
    const { run_id: runId } = await runs.create(request, options);
    expect([runId, service.runs.length]).toEqual(['run-2', 2]);
  });

  it('never makes a second run while its time is unknown', async () => {
    const { service, runs, faultNext } = start(kind);
    faultNext('hang up after');
    const create = runs.create(request, { timeoutMs: 1_000, maxRetries: 2 });
    await create.then().catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'ambiguous' });
    });
    expect(service.runs).toHaveLength(1);
  });
});

describe('a clock that changes while the outcome of a create is unknown', () => {
  const steps = offsets.flatMap((ms) =>
    (['setServiceClock', 'setOurClock'] as const).map((which) => [which, ms] as const),
  );

  it.each(steps)('%s by %i ms: the run is still found', async (which, ms) => {
    const { service, runs, faultNext, ...clocks } = start({ offset: 0 });
    await clocks.seeCreation();
    const attempt = describeAttempt(request, 'req-1', Date.now(), runs.serviceNowMs());
    if (which === 'setServiceClock') clocks.setServiceClock(ms);
    service.add(request);
    if (which === 'setOurClock') clocks.setOurClock(ms);
    const found = await runs.findCreated(attempt, { settleMs: 0 });
    expect(found).toMatchObject({ outcome: 'found', run: { run_id: 'run-2' } });
  });

  it.each(steps)(
    '%s by %i ms: it is not believed too soon that there is none',
    async (which, ms) => {
      const { runs, faultNext, ...clocks } = start({ offset: 0 });
      await clocks.seeCreation();
      const attempt = describeAttempt(request, 'req-1', Date.now(), runs.serviceNowMs());
      clocks[which](ms);
      const found = await runs.findCreated(attempt, { settleMs: 10 * secondMs });
      expect(found).toMatchObject({ outcome: 'unsure' });
    },
  );

  it('is no proof that there is no run, if it is ours and the service sends no Date', async () => {
    const { runs, faultNext, setOurClock } = start({ offset: 0, sendsDate: false });
    faultNext('hang up before');
    const call = { ...options, timeoutMs: secondMs, settleMs: minuteMs, idempotencyKey: 'r1' };
    const { attempt } = await Promise.resolve(runs.create(request, call)).catch((error) => error);
    setOurClock(24 * 60 * minuteMs);
    const found = await runs.findCreated(attempt, { settleMs: minuteMs });
    expect(found).toMatchObject({ outcome: 'unsure' });
  });
});

describe('a clock that is set forward while a create is under way', () => {
  it('does not make it look settled', async () => {
    const { runs, faultNext, setOurClock } = start({ offset: 0, sendsDate: false });
    const attempt = describeAttempt(request, 'req-1', Date.now());
    faultNext('never arrives');
    const over = new AbortController();
    const call = { ...options, idempotencyKey: 'req-1', signal: over.signal };
    const create = runs.create(request, call).catch((error: unknown) => error);
    setOurClock(24 * 60 * minuteMs);
    const found = await runs.findCreated(attempt, { settleMs: minuteMs });
    over.abort();
    await create;
    expect(found).toMatchObject({ outcome: 'unsure' });
  });
});

describe('identical attempts', () => {
  it.each([
    ['first', [0, 1]],
    ['second', [1, 0]],
  ])(
    'get the run that was created right after each, though the %s looks first',
    async (_, order) => {
      const { service, runs, passTime } = start({ offset: 0 });
      const taken = new Set<string>();
      const attempts = [];
      for (const id of ['r1', 'r2']) {
        attempts.push(describeAttempt(request, id, Date.now()));
        service.add(request);
        passTime(20 * secondMs);
      }
      const found: Record<string, string> = {};
      for (const at of order) {
        const attempt = attempts[at];
        if (!attempt) throw new Error('no such attempt');
        const isTaken = (runId: string) => taken.has(runId);
        const one = await runs.findCreated(attempt, { isTaken, settleMs: 0 });
        if (one.outcome !== 'found') throw new Error(one.outcome);
        taken.add(one.run.run_id);
        found[attempt.requestId] = one.run.run_id;
      }
      expect(found).toEqual({ r1: 'run-1', r2: 'run-2' });
    },
  );
});
