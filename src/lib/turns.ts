/** Waits for a turn; only one of those who wait gets one in each turn of the event loop. */
export type TakeTurn = () => Promise<void>;

/**
 * For work that somebody is not waiting for yet: what comes in meanwhile is answered first, and a crowd that has come
 * at once is worked on one by one.
 */
export function createTurns(): TakeTurn {
  const waiting: (() => void)[] = [];
  const next = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(next);
    });
}
