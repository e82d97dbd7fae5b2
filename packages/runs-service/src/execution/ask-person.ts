import { randomUUID } from 'node:crypto';
import { shorten } from 'base/shorten';
import { sleep } from 'base/sleep';
import type { Question } from 'runs-client/contract';
import type { QuestionField } from 'runs-client/question-fields';
import { questionSecondsOf } from '../environments/environments.ts';
import type { AgentQuestion, PersonAnswer } from '../harnesses/harness.ts';
import { clean } from './live-progress.ts';
import type { RunContext, StepTools } from './run-context.ts';

const pollMs = 300;
const maxTextCharacters = 2_000;
const maxDetailsCharacters = 20_000;
const maxDescriptionCharacters = 500;
const maxOptions = 20;
/** Of an option, and of its id, which is never cut: it would name another option. */
const maxLabelCharacters = 200;
/** After so many, everyone is away: what the agent asks later is refused at once, so that a run ends. */
const maxUnansweredInARow = 3;

/** Asks the people who follow the run, one question at a time. Undefined if no one answers in time. */
export function createAskPerson(tools: StepTools, context: RunContext) {
  const closing = new AbortController();
  const signal = AbortSignal.any([context.signal, closing.signal]);
  let last: Promise<unknown> = Promise.resolve();
  let unansweredInARow = 0;

  async function next(question: AgentQuestion): Promise<PersonAnswer | undefined> {
    if (signal.aborted || unansweredInARow >= maxUnansweredInARow) return undefined;
    const answer = await askOne(tools, context, signal, question);
    unansweredInARow = answer === undefined ? unansweredInARow + 1 : 0;
    return answer;
  }

  return {
    ask(question: AgentQuestion): Promise<PersonAnswer | undefined> {
      const turn = last.then(() => next(question));
      last = turn.catch(() => undefined);
      return turn;
    },
    /** The agent is gone. When this resolves, no question is open. */
    async close(): Promise<void> {
      closing.abort();
      await last;
    },
  };
}

/** Names and ids are sent back as they are. */
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
  { questions }: StepTools,
  { run, environment, clock, hidden, signal: ending }: RunContext,
  signal: AbortSignal,
  asked: AgentQuestion,
): Promise<PersonAnswer | undefined> {
  const now = Date.now();
  const expiresAt = now + questionSecondsOf(environment) * 1000;
  const shown = (text: string, limit: number) => shorten(clean(text, hidden), limit);
  const question: Question = {
    id: randomUUID(),
    text: shown(asked.text, maxTextCharacters),
    ...(asked.details && { details: shown(asked.details, maxDetailsCharacters) }),
    options: asked.options
      .filter(({ id }) => id.length <= maxLabelCharacters)
      .slice(0, maxOptions)
      .map(({ id, label, kind }) => ({ id, label: shown(label, maxLabelCharacters), kind })),
    takes_text: asked.takesText,
    ...(asked.fields && { fields: asked.fields.map((field) => readableField(field, shown)) }),
    asked_at: new Date(now).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
  // Not with the agent's own end: a question that is on its way has to be closed too.
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
