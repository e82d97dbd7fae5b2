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
  /** Returns the person for the run's `on_behalf_of` field. Undefined if the app itself is the creator. */
  of(request: RunRequest): Promise<string | undefined>;
  /** Returns the note for a creator that the service rejected, once per person. */
  rejected(request: RunRequest): string[];
};

/** Creates the attribution of runs to people. Without `readCreator`, the app is the creator of all runs. */
export function createAttribution(readCreator?: ReadCreator): Attribution {
  // People who have seen the note. Kept in memory, so they see it again after a restart.
  const notified = new LRUCache<string, true>(entryLimit(10_000));
  return {
    async of({ teamId, creatorId, authority, connectionId }) {
      // Leave out the person, because a run with their own key belongs to them in any case.
      if (isOwnKey(connectionId)) return undefined;
      // Leave out the person that a workflow names, because that person didn't start the run.
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
