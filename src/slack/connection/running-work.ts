import type { App } from '@slack/bolt';
import type { Logger } from 'base/logger';
import { createTurns } from './turns.ts';

/**
 * Queues work for after the acknowledgement. During a burst it runs once all requests are acknowledged. Until then
 * only the closure stays in memory, not the whole delivery that a waiting listener would keep.
 */
export type Afterwards = (work: () => Promise<void>) => void;

type WorkParts = { requestArrived(): void; yieldToRequests(): Promise<void>; logger: Logger };

/** Tracks unfinished deliveries. Call it before anything else that wraps the app's `processEvent`. */
export function watchWork(app: Pick<App, 'processEvent'>, parts: WorkParts) {
  const running = new Set<Promise<void>>();
  const takeTurn = createTurns(parts.yieldToRequests);

  async function watch(work: Promise<void>): Promise<void> {
    running.add(work);
    await work.finally(() => running.delete(work));
  }

  const processEvent = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    parts.requestArrived();
    await watch(processEvent(event));
  };

  const afterwards: Afterwards = (work) => {
    const failed = (err: unknown) =>
      parts.logger.error({ err }, 'Background work of a Slack request failed');
    void watch(takeTurn().then(work).catch(failed));
  };

  return {
    takeTurn,
    afterwards,
    /** Also waits for work that running listeners queue in the meantime. */
    async untilDone(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
