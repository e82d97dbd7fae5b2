import { onTestFinished } from 'vitest';

/**
 * Holds timers of exactly this duration until the returned function is called. A time limit can't end before its run
 * has begun, even on a slow machine.
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
