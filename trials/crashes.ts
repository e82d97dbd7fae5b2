import { sleep } from 'base/sleep';
import type { BotProcess } from './bot-process.ts';
import type { Random } from './random.ts';

/** Number of accepted requests for each kill. */
const requestsPerCrash = 36;

/**
 * Kills replicas, each time a moment after a certain number of requests is accepted. A kill waits until all replicas are
 * up: each one leaves work that waits for its lease to expire, and more kills would leave no time for any work.
 */
export function createCrashes(
  replicas: readonly BotProcess[],
  untilUp: (connections: number) => Promise<unknown>,
  random: Random,
  requests: number,
) {
  const plan = Array.from(
    { length: Math.max(2, Math.round(requests / requestsPerCrash)) },
    // Plan the first kill early, so that most requests follow it.
    (_, index) => ({
      at: index === 0 ? 1 : random.below(requests),
      replica: replicas[random.below(replicas.length)],
      afterMs: random.between(0, 1_500),
    }),
  ).sort((one, other) => one.at - other.at);
  let accepted = 0;
  let crashes = 0;
  let crashing = Promise.resolve();

  async function crash({ replica, afterMs }: (typeof plan)[number]): Promise<void> {
    await untilUp(replicas.length);
    await sleep(afterMs);
    if (replica?.signal('SIGKILL')) crashes += 1;
  }

  return {
    /** Starts due kills. Call it for each accepted request. */
    another(): void {
      accepted += 1;
      while (plan[0] && plan[0].at < accepted) {
        const next = plan.shift();
        if (next) crashing = crashing.then(() => crash(next));
      }
    },
    /**
     * Waits for the last kill.
     * @returns the number of kills
     */
    async end(): Promise<number> {
      await crashing;
      return crashes;
    },
  };
}
