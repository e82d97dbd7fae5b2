import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

/**
 * Logs structured JSON lines. Never log prompts or whole payloads, because redaction of the keys below is only the last
 * safety net.
 */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'child'>;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

const secretKeys = ['authorization', 'Authorization', 'token', 'apiKey', 'signingSecret', 'secret'];

/** A logger whose level can be changed. Loggers made with `child` before a change keep their level. */
export type RootLogger = Logger & Pick<PinoLogger, 'level'>;

export function createLogger(level: LogLevel, destination?: DestinationStream): RootLogger {
  const redact = secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  const options = { level, base: null, redact };
  return destination ? pino(options, destination) : pino(options);
}
