import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Number of waits in this test that lasted over five seconds. CI reports it. */
    longWaits?: number;
  }
}

const longMs = 5_000;
/** Keep the real clock, also for tests with fake timers. */
const { now } = Date;

/**
 * Counts a wait as long after five seconds.
 * @param probe called again and again until the wait is over
 */
export function watched<T>(probe: () => T): () => T {
  const beganAt = now();
  let isCounted = false;
  const counting = () => {
    const test = TestRunner.getCurrentTest();
    if (!isCounted && test && now() - beganAt > longMs) {
      isCounted = true;
      test.meta.longWaits = (test.meta.longWaits ?? 0) + 1;
    }
    return probe();
  };
  // Keep the source of the condition, because failed waits show it.
  return Object.assign(counting, { toString: () => probe.toString() });
}
