import { createBot } from './bot.ts';
import { readBotConfig } from './config/bot-config.ts';
import { processEnvironment } from './config/environment.ts';
import { createLogger } from './lib/logger.ts';
import { debugOnSignal } from './lib/process/debug-on-signal.ts';
import { runUntilSignaled } from './lib/process/run-until-signaled.ts';

await runUntilSignaled(() => {
  const config = readBotConfig(processEnvironment());
  const logger = createLogger(config.logLevel);
  debugOnSignal(logger);
  return createBot(config, logger);
});
