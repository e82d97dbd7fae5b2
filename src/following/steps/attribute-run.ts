import { entryLimit } from 'base/entry-limit';
import { LRUCache } from 'lru-cache';
import { RunsApiError } from 'runs-client/runs-api-error';
import { isOwnKey } from '../../requests/connection.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';

/** Returns the runs service's name for the creator of a request; undefined if there is none. */
type ReadCreator = (
  request: Pick<RunRequest, 'teamId' | 'creatorId'>,
) => Promise<string | undefined>;

export type Attribution = {
  /** `on_behalf_of` of the request's run; undefined for the app itself. */
  of(request: RunRequest): Promise<string | undefined>;
  /** The service refused it: what to say about that, once per person. */
  refused(request: RunRequest): string[];
};

/** Without `readCreator`, all runs are the app's. */
export function createAttribution(readCreator?: ReadCreator): Attribution {
  // A restart says it again.
  const notified = new LRUCache<string, true>(entryLimit(10_000));
  return {
    async of({ teamId, creatorId, authority, connectionId }) {
      // The run is theirs already, because it uses their own key.
      if (isOwnKey(connectionId)) return undefined;
      // A workflow's run isn't started by the person that it names.
      if (!readCreator || authority.keysOf !== creatorId) return undefined;
      return readCreator({ teamId, creatorId });
    },

    refused({ teamId, creatorId }) {
      const person = `${teamId} ${creatorId}`;
      if (notified.has(person)) return [];
      notified.set(person, true);
      return [
        "Started as the app, because the runs service doesn't let it start runs in your name. Its operator can allow that.",
      ];
    },
  };
}

/** Returns true if a service rejected a run because of the person in `on_behalf_of`. */
export function refusesPerson(error: unknown): boolean {
  if (!(error instanceof RunsApiError)) return false;
  const { status = 0, problem, message } = error;
  const words = [problem?.detail, problem?.title, problem?.error, message].join(' ');
  return [400, 403, 422].includes(status) && /on_behalf_of/i.test(words);
}
