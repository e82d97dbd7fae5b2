import { randomUUID } from 'node:crypto';
import { shorten } from 'base/shorten';
import { sleep } from 'base/sleep';
import type { Question } from 'runs-client/contract';
import type { QuestionField } from 'runs-client/question-fields';
import { questionSecondsOf } from '../environments/environments.ts';
import type { AgentQuestion, PersonAnswer } from '../harnesses/harness.ts';
import { clean } from './live-progress.ts';
import type { RunContext } from './run-context.ts';
import type { QuestionStore } from './run-store.ts';

const pollMs = 300;
const maxTextCharacters = 2_000;
const maxDetailsCharacters = 20_000;
const maxDescriptionCharacters = 500;
const maxOptions = 20;
/**
 * Max length of an option's label and ID. An option with a longer ID is left out, because a shortened ID could name
 * another option.
 */
const maxLabelCharacters = 200;
/**
 * Max unanswered questions in a row. Later questions are declined immediately, so that a run that nobody follows ends.
 */
const maxUnansweredInARow = 3;

type AskContext = Pick<RunContext, 'hidden' | 'signal'> & {
  run: Pick<RunContext['run'], 'id'>;
  environment: Pick<RunContext['environment'], 'question_seconds'>;
  clock: Pick<RunContext['clock'], 'pause' | 'resume'>;
};

/**
 * Creates a function that asks the people who follow the run, one question at a time. The function returns undefined if
 * no one answers in time.
 */
export function createAskPerson(questions: QuestionStore, context: AskContext) {
  const closing = new AbortController();
  const signal = AbortSignal.any([context.signal, closing.signal]);
  let last: Promise<unknown> = Promise.resolve();
  let unansweredInARow = 0;

  async function next(question: AgentQuestion): Promise<PersonAnswer | undefined> {
    if (signal.aborted || unansweredInARow >= maxUnansweredInARow) return undefined;
    const answer = await askOne(questions, context, signal, question);
    unansweredInARow = answer === undefined ? unansweredInARow + 1 : 0;
    return answer;
  }

  return {
    ask(question: AgentQuestion): Promise<PersonAnswer | undefined> {
      const turn = last.then(() => next(question));
      last = turn.catch(() => undefined);
      return turn;
    },
    /** Stops waiting for answers after the agent has ended. When this resolves, no question is open. */
    async close(): Promise<void> {
      closing.abort();
      await last;
    },
  };
}

/** Shortens the texts of a field. Keeps its name and the IDs of its options, because answers contain them. */
function readableField(
  { label, description, options, ...field }: QuestionField,
  shown: (text: string, limit: number) => string,
): QuestionField {
  return {
    ...field,
    label: shown(label, maxLabelCharacters),
    ...(description && { description: shown(description, maxDescriptionCharacters) }),
    ...(options && {
      options: options.map((each) => ({ ...each, label: shown(each.label, maxLabelCharacters) })),
    }),
  };
}

async function askOne(
  questions: QuestionStore,
  { run, environment, clock, hidden, signal: ending }: AskContext,
  signal: AbortSignal,
  input: AgentQuestion,
): Promise<PersonAnswer | undefined> {
  const now = Date.now();
  const expiresAt = now + questionSecondsOf(environment) * 1000;
  const shown = (text: string, limit: number) => shorten(clean(text, hidden), limit);
  const question: Question = {
    id: randomUUID(),
    text: shown(input.text, maxTextCharacters),
    ...(input.details && { details: shown(input.details, maxDetailsCharacters) }),
    options: input.options
      .filter(({ id }) => id.length <= maxLabelCharacters)
      .slice(0, maxOptions)
      .map(({ id, label, kind }) => ({ id, label: shown(label, maxLabelCharacters), kind })),
    takes_text: input.acceptsText,
    ...(input.fields && { fields: input.fields.map((field) => readableField(field, shown)) }),
    asked_at: new Date(now).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
  // Use the run's signal, because a question must also be closed after the agent has ended.
  const close = (note: string) => questions.close(run.id, question.id, note, ending);
  clock.pause();
  try {
    if (!(await questions.ask(run.id, question, ending))) return undefined;
    while (!signal.aborted) {
      const answer = await questions.answerOf(run.id, question.id, signal);
      if (answer !== undefined) return answer ?? undefined;
      if (Date.now() >= expiresAt) await close('No one answered in time');
      await sleep(Math.min(pollMs, Math.max(1, expiresAt - Date.now())), signal);
    }
    if (!ending.aborted) await close("The agent doesn't wait for an answer anymore");
    return undefined;
  } finally {
    clock.resume();
  }
}
