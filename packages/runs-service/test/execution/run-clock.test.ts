import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRunClock } from '../../src/execution/run-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('stands still until every pause has ended', () => {
  const clock = createRunClock(1_000);
  clock.pause();
  clock.pause();
  clock.resume();
  vi.advanceTimersByTime(10_000);
  expect(clock.expired.aborted).toBe(false);
  clock.resume();
  vi.advanceTimersByTime(999);
  expect(clock.expired.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(clock.expired.aborted).toBe(true);
});
