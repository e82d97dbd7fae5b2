import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import type { Logger } from 'base/logger';

/**
 * Creates a logger that writes Bolt's lines to our log. Debug lines are dropped, because they contain payloads with
 * prompts. Info lines become debug lines, because they report every connection.
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
