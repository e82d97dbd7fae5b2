import { processEnvironment } from './config/environment.ts';
import { readRunOneConfig } from './config/run-one-config.ts';
import { createLogger } from './lib/logger.ts';
import { runOperatorCommand } from './lib/process/run-operator-command.ts';
import { runOne } from './runs-service/run-one/run-one.ts';

/** Executes one run on this machine for a runs service elsewhere, and exits. */
async function main(): Promise<void> {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => stopping.abort());
  const config = readRunOneConfig(processEnvironment());
  const logger = createLogger(config.logLevel);
  process.exitCode = (await runOne(config, { stopping: stopping.signal, logger })) ? 0 : 1;
}

await runOperatorCommand(main);
process.exit();
