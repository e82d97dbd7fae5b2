import { sleep } from 'base/sleep';

/** Amount that several calls share, such as memory for request bodies. */
export type Budget = {
  /** Takes an amount. Waits up to ten seconds for others to give theirs back. Returns false if that isn't enough. */
  take(amount: number, signal: AbortSignal): Promise<boolean>;
  /** Takes an amount without waiting. Returns false if less is left. */
  takeNow(amount: number): boolean;
  give(amount: number): void;
  isUnused(): boolean;
};

const maxWaitMs = 10_000;

export function createBudget(total: number): Budget {
  let left = total;
  const waiting: { amount: number; taken: AbortController }[] = [];

  function takeNow(amount: number): boolean {
    if (waiting.length > 0 || amount > left) return false;
    left -= amount;
    return true;
  }

  return {
    takeNow,
    async take(amount, signal) {
      if (takeNow(amount)) return true;
      const own = { amount, taken: new AbortController() };
      waiting.push(own);
      await sleep(maxWaitMs, AbortSignal.any([signal, own.taken.signal]));
      if (own.taken.signal.aborted) return true;
      waiting.splice(waiting.indexOf(own), 1);
      return false;
    },
    give(amount) {
      left += amount;
      while (waiting[0] && waiting[0].amount <= left) {
        const first = waiting.shift();
        left -= first?.amount ?? 0;
        first?.taken.abort();
      }
    },
    isUnused: () => left === total && waiting.length === 0,
  };
}
