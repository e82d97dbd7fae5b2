import { processEnvironment } from 'base/config/environment';
import { createLogger } from 'base/logger';
import { debugOnSignal } from 'base/process/debug-on-signal';
import { assertNoArguments } from 'base/process/read-arguments';
import { runUntilSignaled } from 'base/process/run-until-signaled';
import { createBot } from '../bot/bot.ts';
import { readBotConfig } from '../config/bot-config.ts';

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
