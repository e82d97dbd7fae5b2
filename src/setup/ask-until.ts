import type { Prompts } from './prompts.ts';

type Question = {
  text: string;
  /** Current value, which an empty answer keeps. */
  known?: string | undefined;
  isSecret?: boolean;
  /** Returns the problem of an answer, or undefined. */
  check(answer: string): Promise<string | undefined> | string | undefined;
};

/** Asks until the answer has no problem. Doesn't show a known secret. */
export async function askUntil(
  prompts: Prompts,
  { text, known, isSecret = false, check }: Question,
): Promise<string> {
  const kept = known && (isSecret ? ' [the one you have]' : ` [${known}]`);
  const question = `${text}${kept ?? ''}: `;
  for (;;) {
    const given = isSecret ? await prompts.askSecret(question) : await prompts.ask(question);
    const answer = given || known;
    const problem = answer ? await check(answer) : 'An answer is needed.';
    if (answer && problem === undefined) return answer;
    prompts.print(`${problem}\n`);
  }
}
