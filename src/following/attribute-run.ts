import { LRUCache } from 'lru-cache';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RunRequest } from '../store/requests/request-row.ts';

/** Who a person of Slack is for the runs service; undefined if that isn't known. */
export type ReadIdentity = (userId: string) => Promise<string | undefined>;

export type Attribution = {
  /** `on_behalf_of` of the request's run; undefined for the app itself. */
  of(request: RunRequest): Promise<string | undefined>;
  /** The service refused it: what to say about that, once per person. */
  refused(request: RunRequest): string[];
};

/** Without `readIdentity`, all runs are the app's. */
export function createAttribution(readIdentity?: ReadIdentity): Attribution {
  // A restart says it again.
  const told = new LRUCache<string, true>({ max: 10_000 });
  return {
    async of({ creatorId, origin }) {
      // The creator of a workflow's run can be the app.
      if (!readIdentity || origin?.workflow?.hasPerson === false) return undefined;
      return readIdentity(creatorId);
    },

    refused({ creatorId }) {
      if (told.has(creatorId)) return [];
      told.set(creatorId, true);
      return [
        "Started as the app, because the runs service doesn't let it start runs in your name. Its operator can allow that.",
      ];
    },
  };
}

/** Whether a service refused a run because of who it's for. */
export function refusesPerson(error: unknown): boolean {
  if (!(error instanceof RunsApiError)) return false;
  const { status = 0, problem, message } = error;
  const words = [problem?.detail, problem?.title, problem?.error, message].join(' ');
  return [400, 403, 422].includes(status) && /on_behalf_of/i.test(words);
}
