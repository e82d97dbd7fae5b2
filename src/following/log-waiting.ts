import type { Logger } from '../lib/logger.ts';
import type { PostOutcome } from './run-messages.ts';

type Waiting = Pick<Extract<PostOutcome, { outcome: 'later' }>, 'reason' | 'isQuiet'>;

/** Logs that something waits for Slack: a warning, or at debug if the operator has nothing to do about it. */
export function logWaiting(
  logger: Logger,
  { reason, isQuiet }: Waiting,
  about: { requestId: string; notice?: string },
  what: string,
): void {
  const line = { ...about, reason };
  if (isQuiet) logger.debug(line, what);
  else logger.warn(line, what);
}
