import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import type { Logger } from 'base/logger';

/**
 * Writes Bolt's log lines to our log. Its debug lines contain payloads with prompts and are dropped. Its info lines
 * report every connection and become debug lines.
 */
export function createBoltLogger(logger: Logger): BoltLogger {
  const child = logger.child({ part: 'bolt' });
  const join = (parts: unknown[]) =>
    parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');
  return {
    debug: () => undefined,
    info: (...parts) => child.debug(join(parts)),
    warn: (...parts) => child.warn(join(parts)),
    error: (...parts) => child.error(join(parts)),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
