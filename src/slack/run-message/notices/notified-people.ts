import type { PostPlace } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { RequestWatchers } from '../../../store/requests/request-watchers.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import { threadOf } from '../../runs/run-ref.ts';

export type NotifiedParts = {
  watchers: Pick<RequestWatchers, 'list'>;
  requests: Pick<Requests, 'findVisible'>;
};

/** `optedIn`: they pressed *Notify me*. */
type Notified = { userId: string; optedIn: boolean };

/**
 * The creator unless they opted out, and everyone who pressed *Notify me*. Notices have the answer, so people who left the
 * conversation since get none.
 */
export async function readNotified(
  { watchers, requests }: NotifiedParts,
  { id, teamId, creatorId, origin }: RunRequest,
): Promise<Notified[]> {
  const choices = new Map<string, { wants: boolean; optedIn: boolean }>();
  choices.set(creatorId, { wants: origin?.notify !== false, optedIn: false });
  for (const { userId, wants } of await watchers.list(id))
    choices.set(userId, { wants, optedIn: wants });
  const wanted = [...choices].filter(([, { wants }]) => wants);
  const people = await Promise.all(
    wanted.map(async ([userId, { optedIn }]) => {
      const isAllowed =
        userId === creatorId || (await requests.findVisible({ teamId, userId }, [id])).has(id);
      return isAllowed ? [{ userId, optedIn }] : [];
    }),
  );
  return people.flat();
}

/**
 * Whether someone still gets what was planned for them: it may have waited for the end of their quiet hours. Without a run
 * message, nothing else would show the creator that the run ended.
 */
export const isStillNotified = async (
  parts: NotifiedParts,
  request: RunRequest,
  { userId, message }: { userId: string; message: PostPlace | null | undefined },
): Promise<boolean> =>
  (userId === request.creatorId && threadOf(request, message) === undefined) ||
  (await readNotified(parts, request)).some((each) => each.userId === userId);
