import type { RootLogger } from '../logger.ts';

/** Switches debug logging on and off with SIGUSR2, because SIGUSR1 would open Node's debugger. */
export function debugOnSignal(logger: RootLogger): void {
  const usual = logger.level;
  process.on('SIGUSR2', () => {
    const isUsual = logger.level === usual;
    logger.level = isUsual ? 'debug' : usual;
    logger.warn({ logLevel: logger.level }, 'the log level has changed (SIGUSR2)');
  });
}
