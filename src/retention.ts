import type { Logger } from './lib/logger.ts';
import { Loop } from './lib/loop.ts';
import type { RequestRemoval } from './store/requests/request-removal.ts';

const dayMs = 24 * 60 * 60_000;
const checkMs = 6 * 60 * 60_000;
/** A transaction shouldn't keep others waiting. */
const atOnce = 100;

type Options = {
  days: number;
  removal: Pick<RequestRemoval, 'overBefore' | 'remove'>;
  logger: Logger;
};

/** Deletes requests that have been over for so many days, at the start and every six hours. */
export const createRetention = ({ days, removal, logger }: Options): Loop =>
  new Loop(async (signal) => {
    try {
      let deleted = 0;
      while (!signal.aborted) {
        const ids = await removal.overBefore(Date.now() - days * dayMs, atOnce);
        const count = ids.length > 0 ? await removal.remove(ids) : 0;
        if (count === 0) break;
        deleted += count;
      }
      if (deleted > 0) logger.info({ requests: deleted }, 'deleted old requests');
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'cannot delete old requests');
    }
    return checkMs;
  });
