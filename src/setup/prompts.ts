import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ExplainedError } from 'base/explained-error';

/** Asks the person at the terminal, or reads the lines of a file or pipe. */
export type Prompts = {
  print(text: string): void;
  ask(question: string): Promise<string>;
  /** Asks for text without showing it. */
  askSecret(question: string): Promise<string>;
};

/** Runs `work` with prompts, and restores the terminal afterwards. */
export async function withPrompts<Result>(
  work: (prompts: Prompts) => Promise<Result>,
): Promise<Result> {
  let isHidden = false;
  const output = new Writable({
    write(chunk, _, written) {
      if (!isHidden) process.stdout.write(chunk);
      written();
    },
  });
  const isTerminal = process.stdin.isTTY === true;
  // Let readline write the typed text, so that `isHidden` can suppress it.
  const terminal = createInterface({ input: process.stdin, output, terminal: isTerminal });
  const lines = terminal[Symbol.asyncIterator]();
  const print = (text: string) => void process.stdout.write(text);

  async function ask(question: string, hides: boolean): Promise<string> {
    terminal.setPrompt(question);
    terminal.prompt();
    isHidden = hides;
    const { value, done } = await lines.next();
    isHidden = false;
    if (hides || !isTerminal) print('\n');
    if (done) throw new ExplainedError('The input ended, so nothing was saved.');
    return value.trim();
  }

  try {
    return await work({
      print,
      ask: (question) => ask(question, false),
      askSecret: (question) => ask(question, true),
    });
  } finally {
    terminal.close();
  }
}
