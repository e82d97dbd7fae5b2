/** Resolves when it's the caller's turn. There is one turn in each turn of the event loop. */
export type TakeTurn = () => Promise<void>;

/**
 * For work that nobody waits for yet: new requests are answered first, and a burst of work is done one by one.
 * @param yieldToRequests resolves when no request has priority; awaited before each turn
 */
export function createTurns(yieldToRequests: () => Promise<void>): TakeTurn {
  const waiting: (() => void)[] = [];

  async function giveTurns(): Promise<void> {
    for (let next = waiting[0]; next; next = waiting[0]) {
      await yieldToRequests();
      await new Promise((resolve) => setImmediate(resolve));
      waiting.shift();
      next();
    }
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) void giveTurns();
    });
}
