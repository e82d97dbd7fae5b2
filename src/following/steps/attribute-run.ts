import { entryLimit } from 'base/entry-limit';
import { LRUCache } from 'lru-cache';
import { RunsApiError } from 'runs-client/runs-api-error';
import { isOwnKey } from '../../requests/connection.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';

/** Returns the runs service's name for the creator of a request. Undefined if there is none. */
type ReadCreator = (
  request: Pick<RunRequest, 'teamId' | 'creatorId'>,
) => Promise<string | undefined>;

export type Attribution = {
  /** Returns `on_behalf_of` for the request's run. Undefined if the app itself is the creator. */
  of(request: RunRequest): Promise<string | undefined>;
  /** Returns the note for a creator that the service rejected, once per person. */
  rejected(request: RunRequest): string[];
};

/** Creates the attribution of runs to people. Without `readCreator`, the app is the creator of all runs. */
export function createAttribution(readCreator?: ReadCreator): Attribution {
  // Kept in memory only, so people see the note again after a restart.
  const notified = new LRUCache<string, true>(entryLimit(10_000));
  return {
    async of({ teamId, creatorId, authority, connectionId }) {
      // A run with a person's own key belongs to them anyway.
      if (isOwnKey(connectionId)) return undefined;
      // The person that a workflow names didn't start its run.
      if (!readCreator || authority.keysOf !== creatorId) return undefined;
      return readCreator({ teamId, creatorId });
    },

    rejected({ teamId, creatorId }) {
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
export function rejectsPerson(error: unknown): boolean {
  if (!(error instanceof RunsApiError)) return false;
  const { status = 0, problem, message } = error;
  const words = [problem?.detail, problem?.title, problem?.error, message].join(' ');
  return [400, 403, 422].includes(status) && /on_behalf_of/i.test(words);
}
