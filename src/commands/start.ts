import { createBot } from '../bot.ts';
import { readBotConfig } from '../config/bot-config.ts';
import { processEnvironment } from '../config/environment.ts';
import { createLogger } from '../lib/logger.ts';
import { debugOnSignal } from '../lib/process/debug-on-signal.ts';
import { assertNoArguments } from '../lib/process/read-arguments.ts';
import { runUntilSignaled } from '../lib/process/run-until-signaled.ts';

export const usage = `Usage: slash-agent start
  Starts the bot. Its settings are environment variables or in .env, see docs/configuration.md.`;

export async function run(args: readonly string[]): Promise<void> {
  assertNoArguments(args, usage);
  await runUntilSignaled(() => {
    const config = readBotConfig(processEnvironment());
    const logger = createLogger(config.logLevel);
    debugOnSignal(logger);
    return createBot(config, logger);
  });
}
