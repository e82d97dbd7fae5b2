import { questionSchema } from 'runs-client/contract';
import type { RunQuestions } from '../../store/run-questions.ts';
import { activeStates, type StoredRun } from '../../store/runs.ts';
import type { KnownSpending, Spending } from '../protocol.ts';

/** State of a run that a report waits for. */
export type ReportedState = { run: StoredRun | undefined; spending: Spending | undefined };

/** Reads the state of a run's spending. */
export async function readSpending(
  questions: Pick<RunQuestions, 'open'>,
  { id, state, spend_stopped: stopped }: StoredRun,
): Promise<Spending> {
  const open = state === 'BLOCKED' ? await questions.open(id) : undefined;
  const question = open && questionSchema.parse(JSON.parse(open.question_json));
  return { is_held: question?.kind === 'spend', ...(stopped !== null && { stopped }) };
}

/** Returns true if there is news for `run-one`: the run was canceled, it has ended, or its spending changed. */
export function isNews(
  { run, spending }: ReportedState,
  known: KnownSpending | undefined,
): boolean {
  if (run?.cancel_requested !== 0 || !activeStates.includes(run.state)) return true;
  if (!known || !spending) return false;
  const isStopped = spending.stopped !== undefined;
  return spending.is_held !== known.is_held || isStopped !== known.is_stopped;
}
