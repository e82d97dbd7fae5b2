import { sleep } from './sleep.ts';

/** So many arrivals within this time are a crowd. A single person is never made to wait. */
const crowd = 10;
const crowdMs = 100;
const pauseMs = 20;
/** In a crowd that does not end, what can wait goes on in steps. */
const longestMs = 1_000;

/** Lets work that can wait stand back while many people wait for an answer at once. */
export function createRightOfWay() {
  const arrivals: number[] = [];

  function isCrowded(): boolean {
    const [first] = arrivals;
    return arrivals.length === crowd && first !== undefined && performance.now() - first < crowdMs;
  }

  return {
    /** Somebody waits for an answer. */
    arrived(): void {
      arrivals.push(performance.now());
      if (arrivals.length > crowd) arrivals.shift();
    },

    /** Resolves when the crowd is gone, at the latest after a second, at once when there is none. */
    async giveWay(signal?: AbortSignal): Promise<void> {
      const latest = performance.now() + longestMs;
      while (isCrowded() && performance.now() < latest && !signal?.aborted) {
        await sleep(pauseMs, signal);
      }
    },
  };
}
