/** What a workflow step returns to the steps after it. */
import type { Run } from 'runs-client/contract';
import { pullRequestsOf } from '../../requests/pull-request.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { answerOf, changesLine, changesOf, statusOf } from '../runs/run-outcome.ts';
import { stateLabel } from '../runs/run-state.ts';
import { agentMarkdown } from '../text/agent-markdown.ts';
import { safeUrl, shorten } from '../text/blocks.ts';
import { failureSentence } from '../text/failure.ts';

export type StepResult =
  | { outcome: 'waiting' }
  | { outcome: 'succeeded'; outputs: ReturnType<typeof outputsOf> }
  | { outcome: 'failed'; reason: string };

const reasonLimit = 500;
const answerLimit = 4_000;

/** @param waits whether the workflow waits for the end of the run or only for its start */
export function stepResult(request: RunRequest, waits: boolean): StepResult {
  const { run, runId, step, problem, connectionId } = request;
  if (step === 'not_started' || (step === 'ended' && problem)) {
    const detail = problem?.message ? ` ${problem.message}` : '';
    const sentence = failureSentence(problem?.code ?? 'unexpected', connectionId);
    return { outcome: 'failed', reason: shorten(`${sentence}${detail}`, reasonLimit) };
  }
  const state = run?.state ?? 'QUEUED';
  const outputs = outputsOf(run, runId, state);
  if (!waits) return runId ? { outcome: 'succeeded', outputs } : { outcome: 'waiting' };
  if (step !== 'ended') return { outcome: 'waiting' };
  if (state === 'SUCCEEDED') return { outcome: 'succeeded', outputs };
  const why = statusOf(run);
  const reason = `Run ${stateLabel(state).word.toLowerCase()}${why ? `: ${why}` : '.'}`;
  return { outcome: 'failed', reason: shorten(reason, reasonLimit) };
}

/** Every output has a value, so that later steps can use it. What came of the run is empty before its end. */
function outputsOf(run: Run | null, runId: string | null, state: string) {
  const answer = answerOf(run);
  const changes = changesOf(run);
  const url = pullRequestsOf(run)
    .map((each) => safeUrl(each.url))
    .find(Boolean);
  return {
    ...{ run_id: runId ?? '', state, link: safeUrl(run?.session_link) ?? '' },
    answer: answer ? agentMarkdown(answer, answerLimit, '…').text : '',
    changes: changes ? changesLine(changes) : '',
    pull_request_url: url ?? '',
  };
}
