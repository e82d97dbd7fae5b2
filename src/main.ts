import { createBot } from './bot.ts';
import { readBotConfig } from './config/bot-config.ts';
import { processEnvironment } from './config/environment.ts';
import { debugOnSignal } from './lib/debug-on-signal.ts';
import { createLogger } from './lib/logger.ts';
import { runProcess } from './lib/run-process.ts';

await runProcess(() => {
  const config = readBotConfig(processEnvironment());
  const logger = createLogger(config.logLevel);
  debugOnSignal(logger);
  return createBot(config, logger);
});
