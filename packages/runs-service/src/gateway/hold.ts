import { randomUUID } from 'node:crypto';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { Question } from 'runs-client/contract';
import type { CapState } from '../store/spend-cap.ts';
import type { SpendQuestions } from '../store/spend-questions.ts';
import { type SpendRequest, spendOptions } from '../store/spend-request.ts';
import { allowSentence, amountToOffer, dollars, spentSentence } from './caps/cap-sentences.ts';
import type { RunAccess } from './run-access.ts';

/**
 * Result of holding a call. After `allowed`, the call can try to reserve its price again. `gone` means that nobody waits
 * for the call anymore.
 */
export type HoldOutcome =
  | { outcome: 'allowed' }
  | { outcome: 'stopped'; message: string }
  | { outcome: 'gone' };

/** Waits until a person decides if a run can spend more than a cap. All calls of a run join one question. */
export type Hold = (over: {
  run: Pick<RunAccess, 'runId' | 'onStopped' | 'signal'>;
  state: CapState;
  /** Aborts when the agent disconnects. The question stays open. */
  signal: AbortSignal;
  /** Called when the call starts to wait for a person, and when it no longer waits. */
  onHeld: () => void;
  onReleased: () => void;
}) => Promise<HoldOutcome>;

/** Time that a person has to answer, in ms. */
export const defaultSpendQuestionMs = 15 * 60_000;
const pollMs = 500;
const retryMs = 1_000;

/** A run's wait for an answer, which all its held calls share. `asked` resolves when the question is open. */
type Wait = { asked: Promise<void>; decided: Promise<HoldOutcome> };

/** Creates the function that holds calls at a cap. The store has all that a restarted process needs to continue. */
export function createHold({
  questions,
  questionMs = defaultSpendQuestionMs,
  logger,
}: {
  questions: Pick<SpendQuestions, 'ask' | 'read'>;
  questionMs?: number | undefined;
  logger: Logger;
}): Hold {
  const waits = new Map<string, Wait>();

  /** Asks, then polls the question. Repeats a step that fails, for example while the database is down. */
  async function decide(
    { runId, signal }: Pick<RunAccess, 'runId' | 'signal'>,
    state: CapState,
    onAsked: () => void,
  ): Promise<HoldOutcome> {
    const id = randomUUID();
    let questionId: string | undefined;
    while (!signal.aborted) {
      try {
        if (questionId === undefined) {
          const request = requestFor(state, Date.now() + questionMs);
          const json = JSON.stringify(questionFor(id, state, request));
          const asked = await questions.ask(runId, { id, json, note: request.reached }, request);
          if (asked.outcome === 'stopped') return asked;
          if (asked.outcome === 'ended') return { outcome: 'gone' };
          if (asked.outcome === 'asked') {
            questionId = asked.questionId;
            onAsked();
          }
        } else {
          const outcome = outcomeOf(await questions.read(runId, questionId));
          if (outcome) return outcome;
        }
        await sleep(pollMs, signal);
      } catch (error) {
        logger.error({ err: error, runId }, 'cannot read the question about spending');
        await sleep(retryMs, signal);
      }
    }
    return { outcome: 'gone' };
  }

  function waitOf(run: Pick<RunAccess, 'runId' | 'onStopped' | 'signal'>, state: CapState): Wait {
    const open = waits.get(run.runId);
    if (open) return open;
    let onAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    const decided = decide(run, state, onAsked).then((outcome) => {
      waits.delete(run.runId);
      // End the run even if all of its held calls have gone.
      if (outcome.outcome === 'stopped') run.onStopped(outcome.message);
      return outcome;
    });
    const wait = { asked, decided };
    waits.set(run.runId, wait);
    return wait;
  }

  return async ({ run, state, signal, onHeld, onReleased }) => {
    const { asked, decided } = waitOf(run, state);
    let isHeld = false;
    let isOver = false;
    void asked.then(() => {
      if (isOver) return;
      isHeld = true;
      onHeld();
    });
    const outcome = await Promise.race([decided, gone(signal)]);
    isOver = true;
    if (isHeld) onReleased();
    return outcome;
  };
}

const gone = (signal: AbortSignal): Promise<HoldOutcome> =>
  new Promise((resolve) => {
    const onAbort = () => resolve({ outcome: 'gone' });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });

/** Returns the outcome of a question, or undefined while it's open. */
function outcomeOf(now: Awaited<ReturnType<SpendQuestions['read']>>): HoldOutcome | undefined {
  if (!now) return { outcome: 'gone' };
  if (now.spend_stopped !== null) return { outcome: 'stopped', message: now.spend_stopped };
  if (now.state === 'BLOCKED') return now.closed_at === null ? undefined : { outcome: 'allowed' };
  // A restart interrupts a question, and the next attempt to reserve asks a new one.
  return { outcome: now.state === 'INPROGRESS' ? 'allowed' : 'gone' };
}

function requestFor(state: CapState, expiresAt: number): SpendRequest {
  const { cap, period } = state;
  return {
    cap,
    period,
    amountMicros: amountToOffer(cap),
    expiresAt,
    reached: spentSentence(state),
  };
}

function questionFor(id: string, state: CapState, request: SpendRequest): Question {
  const { amountMicros, expiresAt, reached } = request;
  return {
    id,
    kind: 'spend',
    text: `${reached}\n${allowSentence(state, amountMicros)}`,
    options: [
      { id: spendOptions.allow, label: `Allow ${dollars(amountMicros)} more`, kind: 'allow_once' },
      { id: spendOptions.stop, label: 'Stop here', kind: 'reject_once' },
    ],
    takes_text: false,
    asked_at: new Date().toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}
