import { isTerminalState } from 'runs-client/contract';
import { liveSteps } from '../../../requests/steps.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import type { RunAccess } from '../reading/run-access.ts';

export type CancelParts = {
  requests: Pick<Requests, 'askCancel' | 'find'>;
  wake(): void;
};

export const alreadyEnded = 'This run has already ended.';

/**
 * Records that someone wants the run to end. The follower asks the service, and the run message shows how it goes.
 * @returns why nothing was recorded
 */
export async function askToCancel(
  { requests, wake }: CancelParts,
  { id, step, run }: RunRequest,
  userId: string,
): Promise<string | undefined> {
  if (!liveSteps.includes(step) || isTerminalState(run?.state ?? '')) return alreadyEnded;
  if (await requests.askCancel(id, userId, Date.now())) {
    wake();
    return undefined;
  }
  // A repeated delivery, or a double click.
  const isOwn = (await requests.find(id))?.cancelAskedBy === userId;
  return isOwn ? undefined : 'Someone already canceled this run.';
}

const stopWords = /^(?:stop|cancel)[\s.!]*$/i;

/** Whether a whole message asks to cancel the run of its thread. */
export const asksToCancel = (text: string): boolean => stopWords.test(text.trim());

/** Like a click on *Cancel*. @returns why nothing was recorded */
export async function cancelByMessage(
  { access, ...parts }: CancelParts & { access: Pick<RunAccess, 'command'> },
  viewer: RunViewer,
  requestId: string,
): Promise<string | undefined> {
  const found = await access.command(viewer, requestId);
  return 'sentence' in found ? found.sentence : askToCancel(parts, found.request, viewer.userId);
}
