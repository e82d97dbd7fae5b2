/** Returns the result of a workflow step, which later steps can use. */
import type { Run } from 'runs-client/contract';
import { pullRequestsOf } from '../../requests/pull-request.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { stateLabel } from '../runs/showing/run-label.ts';
import { answerOf, changesLine, changesOf, statusOf } from '../runs/showing/run-outcome.ts';
import { agentMarkdown } from '../text/agent-markdown.ts';
import { safeUrl, shorten } from '../text/escape-text.ts';
import { failureSentence } from '../text/failure.ts';

export type StepResult =
  | { outcome: 'waiting' }
  | { outcome: 'succeeded'; outputs: ReturnType<typeof outputsOf> }
  | { outcome: 'failed'; reason: string };

const reasonLimit = 500;
const answerRoom = { characters: 4_000, blocks: Number.POSITIVE_INFINITY };

/**
 * Returns the result of a step.
 * @param waits true if the workflow waits for the end of the run, not only for its start
 */
export function stepResult(request: RunRequest, waits: boolean): StepResult {
  const { run, runId, step, problem, unfollowedAt } = request;
  if (step === 'not_started' || (step === 'ended' && problem)) return failed(problemText(request));
  const state = run?.state ?? 'QUEUED';
  const outputs = outputsOf(run, runId, state);
  if (!waits) return runId ? { outcome: 'succeeded', outputs } : { outcome: 'waiting' };
  if (step !== 'ended') {
    if (unfollowedAt === null) return { outcome: 'waiting' };
    return failed(problem ? problemText(request) : notFollowed);
  }
  if (state === 'SUCCEEDED') return { outcome: 'succeeded', outputs };
  const why = statusOf(run);
  return failed(`Run ${stateLabel(state).word.toLowerCase()}${why ? `: ${why}` : '.'}`);
}

const failed = (reason: string): StepResult => ({
  outcome: 'failed',
  reason: shorten(reason, reasonLimit),
});

function problemText({ problem, connectionId }: RunRequest): string {
  const detail = problem?.message ? ` ${problem.message}` : '';
  return `${failureSentence(problem?.code ?? 'unexpected', connectionId)}${detail}`;
}

const notFollowed =
  "Someone stopped this run's updates, so its end isn't known here. Look at its session.";

/** Returns the step's outputs. Each has a value, because later steps need one. Results are empty until the run ends. */
function outputsOf(run: Run | null, runId: string | null, state: string) {
  const answer = answerOf(run);
  const changes = changesOf(run);
  const url = pullRequestsOf(run)
    .map((each) => safeUrl(each.url))
    .find(Boolean);
  return {
    run_id: runId ?? '',
    state,
    link: safeUrl(run?.session_link) ?? '',
    answer: answer ? agentMarkdown(answer, answerRoom, '…').block.text : '',
    changes: changes ? changesLine(changes) : '',
    pull_request_url: url ?? '',
  };
}
