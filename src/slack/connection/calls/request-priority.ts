import { sleep } from 'base/sleep';

/** This many requests within this time make a burst. A single person never slows background work down. */
const burstSize = 10;
const burstMs = 100;
const pauseMs = 20;
/** During a burst that doesn't end, background work continues in steps. */
const longestMs = 1_000;

/** Lets background work pause while many people wait for an acknowledgement at once. */
export function createRequestPriority() {
  const arrivals: number[] = [];

  function isBurst(): boolean {
    const [first] = arrivals;
    return (
      arrivals.length === burstSize && first !== undefined && performance.now() - first < burstMs
    );
  }

  return {
    /** Call it for each request that someone waits for. */
    requestArrived(): void {
      arrivals.push(performance.now());
      if (arrivals.length > burstSize) arrivals.shift();
    },

    /** Resolves when the burst is over, after a second at most. */
    async yieldToRequests(signal?: AbortSignal): Promise<void> {
      const latest = performance.now() + longestMs;
      while (isBurst() && performance.now() < latest && !signal?.aborted) {
        await sleep(pauseMs, signal);
      }
    },
  };
}
