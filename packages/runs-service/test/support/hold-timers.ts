import { onTestFinished } from 'vitest';

/**
 * Timers of exactly this length wait until the test lets them pass, so that a time limit can't be over before its run
 * has begun, however slow the machine is.
 */
export function holdTimers(ms: number): () => void {
  const { setTimeout: start, clearTimeout: clear } = globalThis;
  const held = new Map<unknown, () => void>();
  const hold = (run: () => void, afterMs?: number, ...given: []) => {
    const timer = start(run, afterMs, ...given);
    if (afterMs === ms) held.set(timer, run);
    return timer;
  };
  const forget = (timer?: NodeJS.Timeout) => {
    held.delete(timer);
    clear(timer);
  };
  Object.assign(globalThis, { setTimeout: Object.assign(hold, start), clearTimeout: forget });
  onTestFinished(() => void Object.assign(globalThis, { setTimeout: start, clearTimeout: clear }));
  return () => {
    for (const [timer, run] of held) {
      clearTimeout(timer as NodeJS.Timeout);
      run();
    }
  };
}
