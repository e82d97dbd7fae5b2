import { ExplainedError } from '../explained-error.ts';

/** Runs an operator's command. Prints an `ExplainedError` without a stack trace, and exits with code 1. */
export async function runOperatorCommand(command: () => Promise<void> | void): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
