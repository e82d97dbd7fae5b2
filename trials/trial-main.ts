/**
 * Like `slash-agent start`, but a lost create settles after ten seconds, and Slack has no rate limits unless `FAULT_BUDGET=on`.
 * Otherwise a trial with hundreds of requests would take an hour.
 */
import { createBot } from '../src/bot.ts';
import { readBotConfig } from '../src/config/bot-config.ts';
import { processEnvironment } from '../src/config/environment.ts';
import { createLogger } from '../src/lib/logger.ts';
import { runUntilSignaled } from '../src/lib/process/run-until-signaled.ts';
import { unlimitedBudget } from '../test/support/posting/unlimited-budget.ts';

await runUntilSignaled(() => {
  const environment = processEnvironment();
  const config = readBotConfig(environment);
  const instead = environment['FAULT_BUDGET'] === 'on' ? {} : { budget: unlimitedBudget };
  const runsApi = { ...config.runsApi, settleMs: 10_000 };
  return createBot({ ...config, runsApi }, createLogger(config.logLevel), instead);
});
