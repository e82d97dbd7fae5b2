import { randomUUID } from 'node:crypto';
import type { Question } from 'runs-client/contract';
import { shorten } from '../../lib/shorten.ts';
import { sleep } from '../../lib/sleep.ts';
import type { AgentQuestion, PersonAnswer } from '../harnesses/harness.ts';
import { clean } from './live-progress.ts';
import type { RunContext, StepTools } from './run-context.ts';

const defaultSeconds = 30 * 60;
const pollMs = 300;
const maxTextCharacters = 2_000;
const maxDetailsCharacters = 20_000;
const maxOptions = 20;
const maxLabelCharacters = 200;

/** Asks the people who follow the run, one question at a time. Undefined if no one answers in time. */
export function createAskPerson(tools: StepTools, context: RunContext) {
  let last: Promise<unknown> = Promise.resolve();
  return (question: AgentQuestion): Promise<PersonAnswer | undefined> => {
    const turn = last.then(() => askOne(tools, context, question));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function askOne(
  { questions }: StepTools,
  { run, environment, progress, clock, hidden, signal }: RunContext,
  asked: AgentQuestion,
): Promise<PersonAnswer | undefined> {
  if (signal.aborted) return undefined;
  const now = Date.now();
  const expiresAt = now + (environment.question_seconds ?? defaultSeconds) * 1000;
  const shown = (text: string, limit: number) => shorten(clean(text, hidden), limit);
  const question: Question = {
    id: randomUUID(),
    text: shown(asked.text, maxTextCharacters),
    ...(asked.details && { details: shown(asked.details, maxDetailsCharacters) }),
    options: asked.options
      .slice(0, maxOptions)
      .map(({ id, label, kind }) => ({ id, label: shown(label, maxLabelCharacters), kind })),
    takes_text: asked.takesText,
    asked_at: new Date(now).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
  clock.pause();
  try {
    if (!(await questions.ask(run.id, question, expiresAt, signal))) return undefined;
    progress.setQuestion(question);
    progress.changed();
    while (!signal.aborted) {
      const answer = await questions.answerOf(run.id, question.id, signal);
      if (answer !== undefined) return answer ?? undefined;
      if (Date.now() >= expiresAt) await questions.expire(run.id, question.id, signal);
      else await sleep(Math.min(pollMs, Math.max(1, expiresAt - Date.now())), signal);
    }
    return undefined;
  } finally {
    progress.setQuestion(undefined);
    progress.changed();
    clock.resume();
  }
}
