import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { Step } from './deliveries/delivery.ts';

/** Runs work after the acknowledgement. A stop waits for it. */
export type Afterwards = (work: () => Promise<void>) => void;

export type RunningWork = ReturnType<typeof createRunningWork>;

/** Deliveries that make a burst when all of them wait for an acknowledgement. */
const burstSize = 10;
const pollEveryMs = 5;
/** Max time that work waits for the end of a burst. Slack's triggers expire after three seconds. */
const maxWaitMs = 1_000;

/**
 * Tracks deliveries that are being handled, and the work that they leave for afterwards. See
 * docs/decisions/008-deliveries-go-through-one-pipeline.md.
 */
export function createRunningWork(logger: Logger) {
  const running = new Set<Promise<void>>();
  const unacknowledged = new Set<object>();

  async function watch(work: Promise<void>): Promise<void> {
    running.add(work);
    await work.finally(() => running.delete(work));
  }

  const track: Step = async (delivery, next) => {
    unacknowledged.add(delivery);
    const acknowledged = () => void unacknowledged.delete(delivery);
    const ack: typeof delivery.ack = async (response) => {
      acknowledged();
      await delivery.ack(response);
    };
    await watch(next({ ...delivery, ack }).finally(acknowledged));
  };

  const waiting: (() => void)[] = [];

  /** Gives one turn in each turn of the event loop, so that new deliveries are read in between. */
  async function giveTurns(): Promise<void> {
    const latest = performance.now() + maxWaitMs;
    for (let next = waiting[0]; next; next = waiting[0]) {
      while (unacknowledged.size >= burstSize && performance.now() < latest)
        await sleep(pollEveryMs);
      await new Promise((resolve) => setImmediate(resolve));
      waiting.shift();
      next();
    }
  }

  /** Resolves when it's the caller's turn. Acknowledgements come first during a burst. */
  const takeTurn = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) void giveTurns();
    });

  /** Continues a listener after its acknowledgement when it's its turn. */
  const putOthersFirst: Step = (delivery, next) =>
    next({
      ...delivery,
      async ack(response) {
        await delivery.ack(response);
        await takeTurn();
      },
    });

  /**
   * Returns a function that runs `work` when it's its turn. Calls until then share one turn. Workers are woken this way,
   * because their statements would delay the acknowledgements of a burst.
   */
  const inTurn = (work: () => void) => {
    let isWaiting = false;
    return (): void => {
      if (isWaiting) return;
      isWaiting = true;
      void takeTurn().then(() => {
        isWaiting = false;
        work();
      });
    };
  };

  const afterwards: Afterwards = (work) => {
    const failed = (err: unknown) =>
      logger.error({ err }, 'Background work of a Slack request failed');
    void watch(takeTurn().then(work).catch(failed));
  };

  return {
    track,
    putOthersFirst,
    afterwards,
    inTurn,
    /** Also waits for work that running listeners leave in the meantime. */
    async untilDone(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
