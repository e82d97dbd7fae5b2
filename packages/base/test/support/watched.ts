import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Waits of this test that lasted over five seconds. CI reports their number. */
    longWaits?: number;
  }
}

const longMs = 5_000;
/** The real clock, also in tests with fake timers. */
const { now } = Date;

/** Counts a wait once it lasts long. @param probe called again and again until the wait is over */
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
  // A wait that fails shows the condition.
  return Object.assign(counting, { toString: () => probe.toString() });
}
