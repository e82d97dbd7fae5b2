import type { DueAt } from 'base/leased-work';
import { isCancelPending } from '../requests/cancel.ts';
import { connectionRemoved, isOwnKey, keyDisconnected } from '../requests/connection.ts';
import { isPublishPending } from '../requests/publish.ts';
import { endBeforeStart } from './steps/cancel-run.ts';
import type { FollowingDeps, Tracked } from './track.ts';

/**
 * Ends a request whose connection was removed or whose key was disconnected. Doesn't call the service, because no other
 * key can be used for this person. Once the key is connected again, *Resume updates* finds the run.
 */
export async function endForRemovedConnection(
  { answers, logger }: Pick<FollowingDeps, 'answers' | 'logger'>,
  tracked: Tracked,
): Promise<DueAt> {
  const { request, record, note } = tracked;
  const now = Date.now();
  const code = isOwnKey(request.connectionId) ? keyDisconnected : connectionRemoved;
  const problem = { code, message: '', since: now };
  const pending = request.pendingAnswer && (await answers.find(request.pendingAnswer));
  if (pending && pending.outcome === null) await answers.settle(pending, 'unclear', null);
  if (isPublishPending(request))
    await record({ publishOutcome: 'rejected', publishProblem: null, publishRetryAt: null });
  switch (request.step) {
    case 'posted':
      logger.warn({ code }, 'run not created');
      if (request.createBeganAt === null) {
        if (isCancelPending(request)) return endBeforeStart(tracked);
        await record({ step: 'not_started', problem });
        return null;
      }
      // End the request as unknown, because the run may still exist at the service.
      await record({ step: 'ended', endedAt: now, problem, nextPollAt: null });
      return null;
    case 'following':
      logger.warn({ code }, 'run not followed any longer');
      await record({ step: 'ended', endedAt: now, missingSince: now, problem, nextPollAt: null });
      return null;
    default:
      if (request.nextPollAt !== null) note({ nextPollAt: null });
      return null;
  }
}
