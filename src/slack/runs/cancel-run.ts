import { isTerminalState } from 'runs-client/contract';
import type { RequestMarks } from '../../store/requests/request-marks.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { liveSteps } from '../../store/requests/request-steps.ts';

export type CancelParts = {
  marks: Pick<RequestMarks, 'askCancel'>;
  wake(): void;
};

/**
 * Records that someone wants the run to end. The follower asks the service, and the run message shows how it goes.
 * @returns why nothing was recorded
 */
export async function askToCancel(
  { marks, wake }: CancelParts,
  { id, step, run }: RunRequest,
  userId: string,
): Promise<string | undefined> {
  if (!liveSteps.includes(step) || isTerminalState(run?.state ?? ''))
    return 'This run has already ended.';
  if (!(await marks.askCancel(id, userId, Date.now()))) return 'Someone already canceled this run.';
  wake();
  return undefined;
}
