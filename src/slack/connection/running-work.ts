import type { Logger } from 'base/logger';

/** Runs work after the acknowledgement. A stop waits for it. */
export type Afterwards = (work: () => Promise<void>) => void;

export type RunningWork = ReturnType<typeof createRunningWork>;

/** Tracks deliveries that are being handled, and the work that they leave for afterwards. */
export function createRunningWork(logger: Logger) {
  const running = new Set<Promise<void>>();

  async function track(work: Promise<void>): Promise<void> {
    running.add(work);
    await work.finally(() => running.delete(work));
  }

  const afterwards: Afterwards = (work) => {
    const failed = (err: unknown) =>
      logger.error({ err }, 'Background work of a Slack request failed');
    // Starts in another turn of the event loop, so that the acknowledgement is sent first.
    const turn = new Promise((resolve) => setImmediate(resolve));
    void track(turn.then(work).catch(failed));
  };

  return {
    track,
    afterwards,
    /** Also waits for work that running listeners leave in the meantime. */
    async untilDone(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
