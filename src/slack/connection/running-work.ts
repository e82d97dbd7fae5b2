import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { Step } from './deliveries/delivery.ts';

/** Runs work after the acknowledgement. Stopping the app waits for the work. */
export type Afterwards = (work: () => Promise<void>) => void;

export type RunningWork = ReturnType<typeof createRunningWork>;

/** Number of unacknowledged deliveries that make a burst. Other work then waits, see `giveTurns`. */
const burstSize = 10;
const pollEveryMs = 5;
/** Max time that work waits for the end of a burst, in ms. Slack's triggers expire after three seconds. */
const maxWaitMs = 1_000;

/**
 * Tracks deliveries that are being handled, and work that continues after their acknowledgement. See
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

  /** Lets waiting work continue, one piece in each turn of the event loop. New deliveries are read in between. */
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

  /** Resolves when the caller may continue. During a burst, acknowledgements of other deliveries come first. */
  const takeTurn = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) void giveTurns();
    });

  /** Delays the rest of a listener after its acknowledgement, so that other deliveries are acknowledged first. */
  const putOthersFirst: Step = (delivery, next) =>
    next({
      ...delivery,
      async ack(response) {
        await delivery.ack(response);
        await takeTurn();
      },
    });

  /**
   * Returns a function that runs `work` after the acknowledgements of a burst. Several calls before that run it only
   * once. Used to wake workers, because their database statements would delay the acknowledgements.
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
    /** Resolves when all tracked work has ended, including work that running listeners start in the meantime. */
    async untilDone(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
