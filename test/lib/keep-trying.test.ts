import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepTrying } from '../../src/lib/keep-trying.ts';

describe('what is kept trying', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const away = new Error('away');
  const minuteMs = 60_000;

  /** Fails until `back()`; notes the times of its tries and of its lines in the log. */
  function aStart(leastMs: number | undefined = 0) {
    const stopping = new AbortController();
    const tries: number[] = [];
    const lines: number[] = [];
    let isBack = false;
    const beganAt = Date.now();
    const passed = () => Date.now() - beganAt;
    const done = keepTrying(
      async () => {
        tries.push(passed());
        if (!isBack) throw away;
        return 'there';
      },
      {
        signal: stopping.signal,
        leastWaitMs: () => leastMs,
        onWaiting: () => lines.push(passed()),
      },
    );
    const back = () => {
      isBack = true;
    };
    return { done, tries, lines, back, stop: () => stopping.abort() };
  }

  it('comes with growing waits, of a quarter of a minute at most, and one line a minute', async () => {
    const { done, tries, lines, back } = aStart();
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    expect(tries.slice(0, 7)).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 30_500]);
    expect(tries.at(-1)).toBeGreaterThan(5 * minuteMs - 15_001);
    expect(lines).toHaveLength(5);
    back();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await done).toBe('there');
  });

  it('waits as long as it was asked to', async () => {
    const { done, tries, back } = aStart(40_000);
    await vi.advanceTimersByTimeAsync(0);
    back();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await done).toBe('there');
    expect(tries).toEqual([0, 40_000]);
  });

  it('ends at once at the abort, in the middle of a wait', async () => {
    const { done, stop } = aStart();
    await vi.advanceTimersByTimeAsync(100);
    stop();
    expect(await done).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends at once at the abort, in the middle of a try', async () => {
    const stopping = new AbortController();
    const options = { signal: stopping.signal, leastWaitMs: () => 0, onWaiting: () => undefined };
    const done = keepTrying(() => new Promise(() => undefined), options);
    stopping.abort();
    expect(await done).toBeUndefined();
  });
});
