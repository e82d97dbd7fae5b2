import { ExplainedError } from '../explained-error.ts';

/** Runs a command of an operator. What they can fix is said without a stack trace, and the exit code is 1. */
export async function runOperatorCommand(command: () => Promise<void> | void): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
