/**
 * Starts the bot like `slash-agent start`, with two changes: a lost create settles after ten seconds, and Slack has no
 * rate limits unless `FAULT_BUDGET=on`. Otherwise a trial with hundreds of requests would take an hour.
 */

import { processEnvironment } from 'base/config/environment';
import { createLogger } from 'base/logger';
import { runUntilSignaled } from 'base/process/run-until-signaled';
import { createBot } from '../src/bot/bot.ts';
import { readBotConfig } from '../src/config/bot-config.ts';
import { unlimitedBudget } from '../test/support/posting/unlimited-budget.ts';

await runUntilSignaled(() => {
  const environment = processEnvironment();
  const config = readBotConfig(environment);
  const instead = environment['FAULT_BUDGET'] === 'on' ? {} : { budget: unlimitedBudget };
  const runsApi = { ...config.runsApi, settleMs: 10_000 };
  return createBot({ ...config, runsApi }, createLogger(config.logLevel), instead);
});
