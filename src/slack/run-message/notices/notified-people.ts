import type { PostPlace } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { RequestWatchers } from '../../../store/requests/request-watchers.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import { threadOf } from '../../runs/run-ref.ts';

/** A person to notify. `optedIn` is true if they selected *Notify me*. */
type Notified = { userId: string; optedIn: boolean };

export type ReadNotified = (request: RunRequest) => Promise<Notified[]>;

/**
 * Creates a function that returns the people to notify of a run. They are the creator, unless they opted out, and
 * everyone who selected *Notify me*. People who have left the conversation are excluded, because notices contain the
 * answer.
 */
export function createNotifiedReader(deps: {
  watchers: Pick<RequestWatchers, 'list'>;
  requests: Pick<Requests, 'findVisible'>;
}): ReadNotified {
  const { watchers, requests } = deps;
  return async ({ id, teamId, creatorId, origin }) => {
    const choices = new Map<string, { wants: boolean; optedIn: boolean }>();
    choices.set(creatorId, { wants: origin?.notify !== false, optedIn: false });
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
