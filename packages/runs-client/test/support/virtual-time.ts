import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { vi } from 'vitest';

/** Replaces `setTimeout` of `node:timers/promises`, because the fake timers of vitest don't cover it. */
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
 * Advances time straight to the next timer when nothing else is left to do. A slow machine can't affect such a test,
 * but it can't use the network. Returns a function that restores real time.
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
