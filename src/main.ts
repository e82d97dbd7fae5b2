import { createBot } from './bot.ts';
import { processEnvironment, readBotConfig } from './config.ts';
import { createLogger } from './lib/logger.ts';
import { runProcess } from './lib/run-process.ts';

await runProcess(() => {
  const config = readBotConfig(processEnvironment());
  return createBot(config, createLogger(config.logLevel));
});
