import type { Audit } from '../../store/audit/audit.ts';
import type { StartLimits } from '../../store/requests/accept-request.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Rights } from '../people/rights.ts';
import { limitSentence } from '../runs/showing/limit-sentence.ts';

export type TryAgainParts = {
  requests: Pick<Requests, 'tryAgainWithin'>;
  rights: Pick<Rights, 'limitsOf'>;
  limits: StartLimits;
  audit: Pick<Audit, 'note'>;
  wake(): void;
};

/**
 * Has a request that wasn't started tried again. It counted as a start before; its run is active from now on.
 * @returns why not
 */
export async function tryAgain(
  { requests, rights, limits, audit, wake }: TryAgainParts,
  request: RunRequest,
  userId: string,
): Promise<string | undefined> {
  const own = await rights.limitsOf(request);
  if ('refusal' in own) return own.refusal.sentence;
  const most = { liveRuns: limits.liveRuns, ownLiveRuns: own.activeRuns?.most };
  const answer = await requests.tryAgainWithin(most, request);
  if ('used' in answer) {
    const { origin, creatorId } = request;
    const by = origin?.workflow ? 'workflow' : creatorId === userId ? 'reader' : 'creator';
    return limitSentence(answer, { ...limits, ...own, by, now: Date.now() });
  }
  if (answer.outcome === 'repeated') return undefined;
  const { id, teamId, channelId } = request;
  const entity = { type: 'run', id };
  await audit.note({ teamId, channelId, actorId: userId, action: 'run_tried_again', entity });
  wake();
  return undefined;
}
