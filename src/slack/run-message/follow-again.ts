import type { RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RequestMarks } from '../../store/request-marks.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { failureSentence } from '../text/failure.ts';

export type FollowAgainParts = {
  runs: Pick<RunsClient['runs'], 'get'>;
  marks: Pick<RequestMarks, 'followAgain' | 'followFound'>;
};

/** A person waits for the answer. */
const patience = { timeoutMs: 10_000 } as const;

/**
 * Has a run followed again. One that was no longer known is asked for first, so that its message does not say that it
 * goes on when nobody knows that.
 * @returns what the person is told; undefined when the run message itself says it
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
    await runs.get(runId, patience);
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    return error.code === 'not_found'
      ? 'The runs service still does not know this run.'
      : `The runs service could not say whether it knows this run. ${failureSentence(error.code)}`;
  }
  await marks.followFound(id, Date.now());
  return undefined;
}
