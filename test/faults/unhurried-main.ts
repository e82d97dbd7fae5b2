/**
 * As `src/main.ts`, for a Slack without limits and a service that has settled after ten seconds: at their own pace a
 * trial with hundreds of requests takes an hour.
 */
import { createBot } from '../../src/bot.ts';
import { processEnvironment, readBotConfig } from '../../src/config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { runProcess } from '../../src/lib/run-process.ts';

await runProcess(() => {
  const config = readBotConfig(processEnvironment());
  const unlimited = { take: () => 0, pause: () => undefined };
  const runsApi = { ...config.runsApi, settleMs: 10_000 };
  return createBot({ ...config, runsApi }, createLogger(config.logLevel), unlimited);
});
