import { processEnvironment } from './config/environment.ts';
import { readRunOneConfig } from './config/run-one-config.ts';
import { ExplainedError } from './lib/explained-error.ts';
import { createLogger } from './lib/logger.ts';
import { runOne } from './runs-service/run-one/run-one.ts';

/** Executes one run on this machine for a runs service elsewhere, and exits. */
async function main(): Promise<number> {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => stopping.abort());
  const config = readRunOneConfig(processEnvironment());
  const logger = createLogger(config.logLevel);
  return (await runOne(config, { stopping: stopping.signal, logger })) ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  if (!(error instanceof ExplainedError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
