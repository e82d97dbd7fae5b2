import type { DueAt } from 'base/leased-work';
import { isCancelPending } from '../requests/cancel.ts';
import { connectionRemoved, isOwnKey, keyDisconnected } from '../requests/connection.ts';
import { isPublishPending } from '../requests/publish.ts';
import type { FollowingParts } from './parts.ts';
import { endBeforeStart } from './steps/cancel-run.ts';
import type { Tracked } from './track.ts';

/**
 * Ends what can't go on because the request's connection was removed or its key disconnected. Nobody asks the service:
 * another key isn't this person's. If the key is connected again, *Follow again* finds the run.
 */
export async function loseConnection(
  parts: Omit<FollowingParts, 'runs'>,
  tracked: Tracked,
): Promise<DueAt> {
  const { answers, logger } = parts;
  const { request, record, note } = tracked;
  const now = Date.now();
  const code = isOwnKey(request.connectionId) ? keyDisconnected : connectionRemoved;
  const problem = { code, message: '', since: now };
  const pending = request.pendingAnswer && (await answers.find(request.pendingAnswer));
  if (pending && pending.outcome === null) await answers.settle(pending, 'unclear', null);
  if (isPublishPending(request))
    await record({ publishOutcome: 'refused', publishProblem: null, publishRetryAt: null });
  switch (request.step) {
    case 'posted':
      logger.warn({ code }, 'run not created');
      if (request.createBeganAt === null) {
        if (isCancelPending(request)) return endBeforeStart(tracked);
        await record({ step: 'not_started', problem });
        return null;
      }
      // The run may exist.
      await record({ step: 'ended', endedAt: now, problem, lookAt: null });
      return null;
    case 'following':
      logger.warn({ code }, 'run not followed any longer');
      await record({ step: 'ended', endedAt: now, missingSince: now, problem, lookAt: null });
      return null;
    default:
      if (request.lookAt !== null) note({ lookAt: null });
      return null;
  }
}
