import type { RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RequestMarks } from '../../store/request-marks.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { failureSentence } from '../text/failure.ts';

export type FollowAgainParts = {
  runs: Pick<RunsClient['runs'], 'get'>;
  marks: Pick<RequestMarks, 'followAgain' | 'followFound'>;
};

/** Someone is waiting for the answer. */
const callOptions = { timeoutMs: 10_000 } as const;

/**
 * Follows a run again. One that the service no longer knew is looked up first, so that its message doesn't say "in
 * progress" without reason.
 * @returns a private answer; undefined when the run message shows the outcome
 */
export async function followAgain(
  { runs, marks }: FollowAgainParts,
  { id, step, runId }: RunRequest,
): Promise<string | undefined> {
  if (step !== 'ended' || runId === null) {
    await marks.followAgain(id, Date.now());
    return undefined;
  }
  try {
    await runs.get(runId, callOptions);
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    return error.code === 'not_found'
      ? "The runs service still doesn't know this run."
      : `Couldn't check this run. ${failureSentence(error.code)}`;
  }
  await marks.followFound(id, Date.now());
  return undefined;
}
