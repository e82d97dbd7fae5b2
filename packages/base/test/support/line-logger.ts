import { createLogger } from '../../src/logger.ts';

/** Returns a logger that collects its lines. */
export function createLineLogger() {
  const lines: { level: number; msg: string; [field: string]: unknown }[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}
