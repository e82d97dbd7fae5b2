import { isUnknown } from '../../../requests/run-progress.ts';
import type { PostPlace } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { RequestWatchers } from '../../../store/requests/request-watchers.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import { threadOf } from '../../runs/run-ref.ts';
import { hasFailed } from '../run-notes.ts';

/** A person to notify. `optedIn` is true if they selected *Notify me*. */
type Notified = { userId: string; optedIn: boolean };

export type ReadNotified = (request: RunRequest) => Promise<Notified[]>;

/**
 * Creates a function that returns the people to notify of a run. They are the creator, unless they opted out, and
 * everyone who selected *Notify me*. The owner of an automation is its runs' creator, and only notified when it's their
 * turn. People who have left the conversation are excluded, because notices contain the answer.
 */
export function createNotifiedReader(deps: {
  watchers: Pick<RequestWatchers, 'list'>;
  requests: Pick<Requests, 'findVisible'>;
}): ReadNotified {
  const { watchers, requests } = deps;
  return async (request) => {
    const { id, teamId, creatorId, origin } = request;
    const choices = new Map<string, { wants: boolean; optedIn: boolean }>();
    const isCalled = origin?.kind === 'automation' ? isOwnersTurn(request) : true;
    choices.set(creatorId, { wants: origin?.notify ?? isCalled, optedIn: false });
    for (const { userId, wants } of await watchers.list(id))
      choices.set(userId, { wants, optedIn: wants });
    const people = await Promise.all(
      [...choices].map(async ([userId, { wants, optedIn }]) => {
        if (!wants) return [];
        const isAllowed =
          userId === creatorId || (await requests.findVisible({ teamId, userId }, [id])).has(id);
        return isAllowed ? [{ userId, optedIn }] : [];
      }),
    );
    return people.flat();
  };
}

/** Returns true if a run of an automation needs its owner: it waits for them, failed, or wasn't started. */
const isOwnersTurn = (request: RunRequest): boolean =>
  request.run?.state === 'BLOCKED' ||
  hasFailed(request) ||
  isUnknown(request.problem) ||
  request.step === 'not_started';

/**
 * Returns true if the person still wants a notice that may have waited for the end of quiet hours. Always returns true
 * for the creator without a run message, because nothing else would show the end.
 */
export const isStillNotified = async (
  readNotified: ReadNotified,
  request: RunRequest,
  { userId, message }: { userId: string; message: PostPlace | null | undefined },
): Promise<boolean> =>
  (userId === request.creatorId && threadOf(request, message) === undefined) ||
  (await readNotified(request)).some((each) => each.userId === userId);
