/** What a workflow step returns to the steps after it. */
import type { RunRequest } from '../../store/requests/request-row.ts';
import { statusOf } from '../runs/run-outcome.ts';
import { stateLabel } from '../runs/run-state.ts';
import { safeUrl, shorten } from '../text/blocks.ts';
import { failureSentence } from '../text/failure.ts';

export type StepResult =
  | { outcome: 'waiting' }
  | { outcome: 'succeeded'; outputs: { run_id: string; state: string; link: string } }
  | { outcome: 'failed'; reason: string };

const reasonLimit = 500;

/** @param waits whether the workflow waits for the end of the run or only for its start */
export function stepResult(request: RunRequest, waits: boolean): StepResult {
  const { run, runId, step, problem } = request;
  if (step === 'not_started' || (step === 'ended' && problem)) {
    const detail = problem?.message ? ` ${problem.message}` : '';
    const sentence = failureSentence(problem?.code ?? 'unexpected');
    return { outcome: 'failed', reason: shorten(`${sentence}${detail}`, reasonLimit) };
  }
  const state = run?.state ?? 'QUEUED';
  const outputs = { run_id: runId ?? '', state, link: safeUrl(run?.session_link) ?? '' };
  if (!waits) return runId ? { outcome: 'succeeded', outputs } : { outcome: 'waiting' };
  if (step !== 'ended') return { outcome: 'waiting' };
  if (state === 'SUCCEEDED') return { outcome: 'succeeded', outputs };
  const why = statusOf(run);
  const reason = `Run ${stateLabel(state).word.toLowerCase()}${why ? `: ${why}` : '.'}`;
  return { outcome: 'failed', reason: shorten(reason, reasonLimit) };
}
