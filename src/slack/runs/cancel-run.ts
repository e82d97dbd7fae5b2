import type { RunsClient } from 'runs-client';
import { RunsApiError, type RunsApiErrorCode } from 'runs-client/runs-api-error';
import type { RequestMarks } from '../../store/request-marks.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { failureSentence } from '../text/failure.ts';

export type CancelParts = {
  runs: Pick<RunsClient['runs'], 'cancel'>;
  marks: Pick<RequestMarks, 'askCancel' | 'forgetCancel'>;
};

/** What the person is told; undefined when the run message itself says it. */
export type CancelAnswer = string | undefined;

/** A run that is being prepared answers "conflict" until a worker has it: asked again, a few times. */
const patience = { timeoutMs: 30_000, maxRetries: 6 } as const;

const refusals: Partial<Record<RunsApiErrorCode, string>> = {
  bad_request: 'This run has ended already, so there is nothing to cancel.',
  conflict:
    'The run is just being prepared and cannot be cancelled in this moment. Try again in half a minute.',
  unprocessable: 'The runs service cannot cancel this kind of run. It goes on to its end.',
  not_found: 'This runs service does not offer cancelling. The run goes on to its end.',
};

/** Asks the service to end a run, once however many people ask at the same time. */
export async function cancelRun(
  { runs, marks }: CancelParts,
  request: RunRequest,
  userId: string,
): Promise<CancelAnswer> {
  const { id, runId } = request;
  if (runId === null) return 'There is no run yet that could be cancelled. Try again in a moment.';
  if (!(await marks.askCancel(id, userId, Date.now()))) {
    return 'Somebody has just asked for that. The message says when the run has ended.';
  }
  try {
    await runs.cancel(runId, patience);
    return undefined;
  } catch (error) {
    await marks.forgetCancel(id);
    if (!(error instanceof RunsApiError)) throw error;
    // A service that knows no such call answers 404 or 405.
    const code = error.status === 405 ? 'not_found' : error.code;
    return refusals[code] ?? `The run could not be cancelled. ${failureSentence(error.code)}`;
  }
}
