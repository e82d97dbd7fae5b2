import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { Drafts } from '../../store/people/drafts.ts';

const everyMs = 5 * 60_000;

/** Deletes drafts of forms that have been open for an hour, or whose end Slack didn't report. */
export const createDraftCleaner = ({
  drafts,
  logger,
}: {
  drafts: Pick<Drafts, 'removeOld'>;
  logger: Logger;
}): Loop =>
  new Loop(async () => {
    try {
      await drafts.removeOld(Date.now());
    } catch (error) {
      logger.error({ err: error }, 'old drafts not deleted; trying again');
    }
    return everyMs;
  });
