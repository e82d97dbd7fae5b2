/** Sample answers in the style of real agents, by kind. */
import { longAnswers } from './long-answers.ts';
import { oddAnswers } from './odd-answers.ts';
import { times } from './words.ts';
import { workAnswers } from './work-answers.ts';

export type AgentAnswer = { name: string; text: string };

export const agentAnswers: readonly AgentAnswer[] = [
  ...workAnswers,
  ...longAnswers,
  ...oddAnswers,
].flatMap(([kind, count, write]) =>
  times(count, (n) => ({ name: `${kind} ${n + 1}`, text: write(n).trim() })),
);
