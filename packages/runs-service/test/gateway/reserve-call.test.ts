import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CheckedCall } from '../../src/gateway/call.ts';
import { reserveCall } from '../../src/gateway/reserve-call.ts';
import type { CallRows } from '../../src/gateway/settle-call.ts';
import { aCall, aCap } from '../support/service/model-call-builder.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('asks the store less and less often while other calls have reserved the rest of a cap', async () => {
  const period = { name: '2026-11-27', startsAt: 0, endsAt: 1 };
  const state = { cap: aCap(), period, spent: 1, reserved: 1_000_000, allowed: 0 };
  let asked = 0;
  const gone = new AbortController();
  const rows = {
    reserve: async () => {
      asked += 1;
      return { outcome: 'busy', state };
    },
  } as unknown as CallRows;
  const { signal } = gone;
  const call = { access: { caps: [] }, provider: { api: 'anthropic' }, early: { late: signal } };
  const reserving = reserveCall({ ...call, signal } as unknown as CheckedCall, aCall('run'), {
    rows,
    hold: () => Promise.reject(new Error('nobody is asked')),
    holdBody: () => true,
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(asked).toBeGreaterThan(10);
  expect(asked).toBeLessThan(20);
  gone.abort();
  expect(await reserving).toBe('gone');
});
