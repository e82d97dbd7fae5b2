import { isTerminalState } from 'runs-client/contract';
import { liveSteps } from '../../../requests/steps.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import type { RunAccess } from '../reading/run-access.ts';

export type CancelDeps = {
  requests: Pick<Requests, 'askCancel' | 'find'>;
  wake(): void;
};

export const alreadyEnded = 'This run has already ended.';

/**
 * Stores a request to cancel. The follower tells the service, and the run message shows the state.
 * @returns reason why nothing was stored
 */
export async function requestCancel(
  { requests, wake }: CancelDeps,
  { id, step, run }: RunRequest,
  userId: string,
): Promise<string | undefined> {
  if (!liveSteps.includes(step) || isTerminalState(run?.state ?? '')) return alreadyEnded;
  if (await requests.askCancel(id, userId, Date.now())) {
    wake();
    return undefined;
  }
  // Treat a repeated delivery or a double click as a success.
  const isOwn = (await requests.find(id))?.cancelAskedBy === userId;
  return isOwn ? undefined : 'Someone already canceled this run.';
}

const stopWords = /^(?:stop|cancel)[\s.!]*$/i;

/** Returns true if the whole message asks to cancel the run of its thread. */
export const isCancelMessage = (text: string): boolean => stopWords.test(text.trim());

/**
 * Cancels a run by a message, like a click on *Cancel*.
 * @returns reason why nothing was stored
 */
export async function cancelByMessage(
  { access, requests, wake }: CancelDeps & { access: Pick<RunAccess, 'command'> },
  viewer: RunViewer,
  requestId: string,
): Promise<string | undefined> {
  const found = await access.command(viewer, requestId);
  if ('sentence' in found) return found.sentence;
  return requestCancel({ requests, wake }, found.request, viewer.userId);
}
