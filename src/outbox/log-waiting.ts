import type { Logger } from 'base/logger';
import type { PostOutcome } from './outcomes.ts';

type Waiting = Pick<Extract<PostOutcome, { outcome: 'later' }>, 'reason' | 'isQuiet'>;

/** Logs that something waits for Slack: as a warning, or at debug level if the operator can't do anything about it. */
export function logWaiting(
  logger: Logger,
  { reason, isQuiet }: Waiting,
  about: Readonly<Record<string, string>>,
  what: string,
): void {
  const line = { ...about, reason };
  if (isQuiet) logger.debug(line, what);
  else logger.warn(line, what);
}
