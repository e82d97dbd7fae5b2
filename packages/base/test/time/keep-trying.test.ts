import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepTrying } from '../../src/time/keep-trying.ts';

describe('keepTrying', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const away = new Error('away');
  const minuteMs = 60_000;

  /** Starts something that fails until `back()`, and records its attempts and reports. */
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

  it('waits longer each time, up to 15 seconds, and reports once a minute', async () => {
    const { done, tries, lines, back } = aStart();
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    expect(tries.slice(0, 7)).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 30_500]);
    expect(tries.at(-1)).toBeGreaterThan(5 * minuteMs - 15_001);
    expect(lines).toHaveLength(5);
    back();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await done).toBe('there');
  });

  it('waits at least as long as the error says', async () => {
    const { done, tries, back } = aStart(40_000);
    await vi.advanceTimersByTimeAsync(0);
    back();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await done).toBe('there');
    expect(tries).toEqual([0, 40_000]);
  });

  it('stops waiting when the signal aborts', async () => {
    const { done, stop } = aStart();
    await vi.advanceTimersByTimeAsync(100);
    stop();
    expect(await done).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("doesn't wait for a pending attempt when the signal aborts", async () => {
    const stopping = new AbortController();
    const options = { signal: stopping.signal, leastWaitMs: () => 0, onWaiting: () => undefined };
    const done = keepTrying(() => new Promise(() => undefined), options);
    stopping.abort();
    expect(await done).toBeUndefined();
  });
});
