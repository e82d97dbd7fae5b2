import { processEnvironment } from 'base/config/environment';
import { createLogger } from 'base/logger';
import { runTryCommand, usage } from '../try-command.ts';

export { usage };

export async function run(args: readonly string[]): Promise<void> {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => stopping.abort());
  const succeeded = await runTryCommand(args, {
    variables: processEnvironment(),
    signal: stopping.signal,
    print: (text) => process.stdout.write(`${text}\n`),
    note: (line) => process.stderr.write(`${line}\n`),
    logger: createLogger('error', process.stderr),
  });
  process.exit(succeeded ? 0 : 1);
}
