import { ExplainedError } from 'base/explained-error';
import { readArguments } from 'base/process/read-arguments';
import type { RunRemover } from './artifacts/remove-runs.ts';

export const usage = `Usage:
  slash-agent runs-service runs delete <ID> …           delete ended runs with their output, changes and files
  slash-agent runs-service runs delete --creator <ID>   all ended runs of a creator, such as an email address
The IDs can also come from standard input: runs delete -`;

/**
 * Runs the command `slash-agent runs-service runs delete`.
 * @throws ExplainedError that says how to use it
 */
export async function runDeleteCommand(
  remover: RunRemover,
  args: readonly string[],
  { print, input }: { print(line: string): void; input(): Promise<string> },
): Promise<void> {
  const { positionals, values } = readArguments(args, usage, { creator: { type: 'string' } });
  const { creator } = values;
  const [verb, ...operands] = positionals;
  if (verb !== 'delete' || (creator === undefined) === (operands.length === 0))
    throw new ExplainedError(usage);
  const ids = operands.join() === '-' ? (await input()).split(/\s+/).filter(Boolean) : operands;
  const removed =
    creator === undefined ? await remover.byId(ids) : await remover.ofCreator(creator);
  const remaining = creator === undefined ? ids.length - removed : 0;
  print(`Deleted ${removed === 1 ? '1 run' : `${removed} runs`}.`);
  if (remaining > 0)
    throw new ExplainedError(
      `${remaining === 1 ? '1 run is' : `${remaining} runs are`} still active or unknown to this service.`,
    );
}
