import type { Logger } from '../lib/logger.ts';
import type { PostOutcome } from './run-messages.ts';

type Waiting = Pick<Extract<PostOutcome, { outcome: 'later' }>, 'reason' | 'isReported'>;

/** A line for something that Slack takes later, unless the reason has been logged once for all that wait. */
export function logWaiting(
  logger: Logger,
  { reason, isReported }: Waiting,
  about: { requestId: string; notice?: string },
  what: string,
): void {
  const line = { ...about, reason };
  if (isReported) logger.debug(line, what);
  else logger.warn(line, what);
}
