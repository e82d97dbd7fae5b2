/** As `src/main.ts`, for a Slack without limits: at Slack's own pace a trial with hundreds of requests takes an hour. */
import { createBot } from '../../src/bot.ts';
import { processEnvironment, readBotConfig } from '../../src/config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { runProcess } from '../../src/lib/run-process.ts';

await runProcess(() => {
  const config = readBotConfig(processEnvironment());
  const unlimited = { take: () => 0, pause: () => undefined };
  return createBot(config, createLogger(config.logLevel), unlimited);
});
