import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { vi } from 'vitest';

/** The same function as that of `node:timers/promises`, with the timers of vitest, which don't reach it. */
const wait = (
  ms?: number,
  value?: unknown,
  { signal }: { signal?: AbortSignal | undefined } = {},
) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

/**
 * Time passes only when nothing else is left to do, straight to the next timer, so that a slow machine changes nothing. For
 * tests without a network. Returns a function that stops it.
 */
export function startVirtualTime(): () => void {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  const { setTimeout: realWait } = timersPromises;
  Object.assign(timersPromises, { setTimeout: wait });
  syncBuiltinESMExports();
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    vi.advanceTimersToNextTimer();
    setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    vi.useRealTimers();
    Object.assign(timersPromises, { setTimeout: realWait });
    syncBuiltinESMExports();
  };
}
