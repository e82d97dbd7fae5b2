import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ExplainedError } from '../explained-error.ts';

/**
 * Parses the arguments of a command.
 * @throws ExplainedError with the usage if they're invalid
 */
export function readArguments<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  usage: string,
  options: Options,
): ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new ExplainedError(`${error instanceof Error ? error.message : ''}\n${usage}`);
  }
}

/**
 * Makes sure that a command has no arguments.
 * @throws ExplainedError with the usage if there are arguments
 */
export function assertNoArguments(args: readonly string[], usage: string): void {
  if (args.length > 0) throw new ExplainedError(usage);
}

/**
 * Returns the only argument of a command.
 * @throws ExplainedError with the usage if there isn't exactly one
 */
export function readOneFile(args: readonly string[], usage: string): string {
  const { positionals } = readArguments(args, usage, {});
  const [file, ...more] = positionals;
  if (!file || more.length > 0) throw new ExplainedError(usage);
  return file;
}
