/**
 * As `src/main.ts`, for a service that has settled after ten seconds and, unless `FAULT_BUDGET=on`, for a Slack without
 * limits: at their own pace a trial with hundreds of requests takes an hour.
 */
import { createBot } from '../src/bot.ts';
import { processEnvironment, readBotConfig } from '../src/config.ts';
import { createLogger } from '../src/lib/logger.ts';
import { runProcess } from '../src/lib/run-process.ts';

const unlimited = { take: () => 0, reserve: () => 0, pause: () => undefined };

await runProcess(() => {
  const environment = processEnvironment();
  const config = readBotConfig(environment);
  const budget = environment['FAULT_BUDGET'] === 'on' ? undefined : unlimited;
  const runsApi = { ...config.runsApi, settleMs: 10_000 };
  return createBot({ ...config, runsApi }, createLogger(config.logLevel), budget);
});
