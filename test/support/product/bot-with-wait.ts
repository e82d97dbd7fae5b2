/**
 * Starts the app like `slash-agent start`, with the timeouts of other tests. `ACK_WAIT_MS` limits the wait before an
 * acknowledgement.
 */

import { processEnvironment } from 'base/config/environment';
import { createLogger } from 'base/logger';
import { runUntilSignaled } from 'base/process/run-until-signaled';
import { createBot } from '../../../src/bot/bot.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { patience } from './waits.ts';

await runUntilSignaled(() => {
  const environment = processEnvironment();
  const config = readBotConfig(environment);
  const { ACK_WAIT_MS: ackWaitMs = patience.ackWaitMs } = environment;
  const waits = { ...patience, ackWaitMs: Number(ackWaitMs) };
  return createBot(config, createLogger(config.logLevel), waits);
});
