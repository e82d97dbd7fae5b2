import { sleep } from '../src/lib/sleep.ts';
import type { BotProcess } from './bot-process.ts';
import type { Random } from './random.ts';

/** So many requests for each kill. */
const requestsPerCrash = 36;

/**
 * Kills replicas, each time when a certain number of requests has been accepted and a moment has passed. A kill waits
 * until the replicas are up: each leaves work that waits until its lease has run out, and more of them would leave no
 * time for any.
 */
export function createCrashes(
  replicas: readonly BotProcess[],
  untilUp: (connections: number) => Promise<unknown>,
  random: Random,
  requests: number,
) {
  const plan = Array.from(
    { length: Math.max(2, Math.round(requests / requestsPerCrash)) },
    // The first one early: it has the most before it.
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
    /** Another request was accepted. */
    another(): void {
      accepted += 1;
      while (plan[0] && plan[0].at < accepted) {
        const next = plan.shift();
        if (next) crashing = crashing.then(() => crash(next));
      }
    },
    /** Resolves when all have been done; answers how many there were. */
    async end(): Promise<number> {
      await crashing;
      return crashes;
    },
  };
}
