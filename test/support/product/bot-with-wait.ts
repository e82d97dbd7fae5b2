/** Like `slash-agent start`, but it waits as long as in other tests, and before an acknowledgement as `ACK_WAIT_MS` says. */
import { createBot } from '../../../src/bot.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { processEnvironment } from '../../../src/config/environment.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { runUntilSignaled } from '../../../src/lib/process/run-until-signaled.ts';
import { patience } from './waits.ts';

await runUntilSignaled(() => {
  const environment = processEnvironment();
  const config = readBotConfig(environment);
  const { ACK_WAIT_MS: ackWaitMs = patience.ackWaitMs } = environment;
  const waits = { ...patience, ackWaitMs: Number(ackWaitMs) };
  return createBot(config, createLogger(config.logLevel), waits);
});
