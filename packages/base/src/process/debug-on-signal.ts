import type { RootLogger } from '../logger.ts';

/** SIGUSR2 logs debug lines too, and the next one only the usual lines. Not SIGUSR1, which opens Node's debugger. */
export function debugOnSignal(logger: RootLogger): void {
  const usual = logger.level;
  process.on('SIGUSR2', () => {
    const isUsual = logger.level === usual;
    logger.level = isUsual ? 'debug' : usual;
    logger.warn({ logLevel: logger.level }, 'the log level has changed (SIGUSR2)');
  });
}
