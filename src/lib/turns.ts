/** Waits for a turn; only one of those who wait gets one in each turn of the event loop. */
export type TakeTurn = () => Promise<void>;

/**
 * For work that somebody is not waiting for yet: what comes in meanwhile is answered first, and a crowd that has come
 * at once is worked on one by one.
 * @param giveWay resolves when nobody ought to go first; awaited before each turn
 */
export function createTurns(giveWay: () => Promise<void>): TakeTurn {
  const waiting: (() => void)[] = [];

  async function giveOut(): Promise<void> {
    for (let next = waiting[0]; next; next = waiting[0]) {
      await giveWay();
      await new Promise((resolve) => setImmediate(resolve));
      waiting.shift();
      next();
    }
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) void giveOut();
    });
}
