import { sleep } from './sleep.ts';

/** This many arrivals within this time are a crowd. */
const crowd = 10;
const crowdMs = 100;
const pauseMs = 20;
/** In an endless crowd, background work continues in steps. */
const longestMs = 1_000;

/** Pauses background work while a crowd of people waits for answers. */
export function createRightOfWay() {
  const arrivals: number[] = [];

  function isCrowded(): boolean {
    const [first] = arrivals;
    return arrivals.length === crowd && first !== undefined && performance.now() - first < crowdMs;
  }

  return {
    /** A person waits for an answer. */
    requestArrived(): void {
      arrivals.push(performance.now());
      if (arrivals.length > crowd) arrivals.shift();
    },

    /** Resolves when there is no crowd, or after a second. */
    async giveWay(signal?: AbortSignal): Promise<void> {
      const latest = performance.now() + longestMs;
      while (isCrowded() && performance.now() < latest && !signal?.aborted) {
        await sleep(pauseMs, signal);
      }
    },
  };
}
