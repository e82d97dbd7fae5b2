import type { App } from '@slack/bolt';
import type { Logger } from '../../lib/logger.ts';
import { createTurns } from '../../lib/turns.ts';

/**
 * For what an acknowledgement leaves to do and nobody waits for. In a crowd it comes when all are answered: until then
 * only what the work itself holds is kept, where a listener that waited would keep its whole delivery, for each.
 */
export type Afterwards = (work: () => Promise<void>) => void;

type WorkParts = { requestArrived(): void; giveWay(): Promise<void>; logger: Logger };

/** What was delivered and is not done. Made before whatever else stands around the app's `processEvent`. */
export function watchWork(app: Pick<App, 'processEvent'>, parts: WorkParts) {
  const running = new Set<Promise<void>>();
  const takeTurn = createTurns(parts.giveWay);

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
      parts.logger.error({ err }, 'what an acknowledgement left to do has failed');
    void watch(takeTurn().then(work).catch(failed));
  };

  return {
    takeTurn,
    afterwards,
    /** Also for what running listeners leave to do meanwhile. */
    async untilDone(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
