import type { Logger } from 'base/logger';
import { nextAtHour } from 'base/time/local-time';
import { Loop } from 'base/time/loop';
import type { Digests, DueDigest } from '../../store/outbox/digests.ts';
import { newDigest } from './digest-kind.ts';

type PlannerDeps = {
  digests: Pick<Digests, 'due' | 'planPost'>;
  /** Wakes the outbox after something was planned. */
  wake(): void;
  logger: Logger;
};

/** Time between checks for due digests, in ms. A digest may be this late. */
const idleMs = 5_000;
const dayMs = 24 * 60 * 60_000;

/** Creates a loop that plans the posts of due digests. */
export function createDigestPlanner({ digests, wake, logger }: PlannerDeps): Loop {
  async function plan(digest: DueDigest): Promise<void> {
    const now = Date.now();
    // End the digest's period at its due time, so that a retry has the same content. After an outage of a day, one
    // digest covers everything.
    const until = now - digest.nextAt < dayMs ? digest.nextAt : now;
    const nextAt = nextAtHour(now, digest.hour, digest.timeZone);
    await digests.planPost(digest, { sinceAt: until, nextAt }, newDigest(digest, until));
  }
  return new Loop(async () => {
    try {
      const due = await digests.due(Date.now());
      for (const digest of due) await plan(digest);
      if (due.length > 0) wake();
    } catch (error) {
      logger.error({ err: error }, 'digests not planned; trying again');
    }
    return idleMs;
  });
}
