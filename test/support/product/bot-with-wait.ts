/** Like `src/main.ts`, but `ACK_WAIT_MS` says how long the app waits for Slack before an acknowledgement. */
import { createBot } from '../../../src/bot.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { processEnvironment } from '../../../src/config/environment.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { runUntilSignaled } from '../../../src/lib/process/run-until-signaled.ts';

await runUntilSignaled(() => {
  const environment = processEnvironment();
  const config = readBotConfig(environment);
  const ackWaitMs = Number(environment['ACK_WAIT_MS']);
  return createBot(config, createLogger(config.logLevel), { ackWaitMs });
});
