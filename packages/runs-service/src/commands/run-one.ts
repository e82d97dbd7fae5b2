import { processEnvironment } from 'base/config/environment';
import { createLogger } from 'base/logger';
import { assertNoArguments } from 'base/process/read-arguments';
import { readRunOneConfig } from '../config/run-one-config.ts';
import { runOne } from '../remote/run-one/run-one.ts';

export const usage = `Usage: slash-agent run-one
  Executes one run on this machine for a runs service elsewhere, and exits. Its settings are environment variables:
  see docs/remote-runs.md.`;

export async function run(args: readonly string[]): Promise<void> {
  assertNoArguments(args, usage);
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => stopping.abort());
  const config = readRunOneConfig(processEnvironment());
  const logger = createLogger(config.logLevel);
  const succeeded = await runOne(config, { stopping: stopping.signal, logger });
  process.exit(succeeded ? 0 : 1);
}
