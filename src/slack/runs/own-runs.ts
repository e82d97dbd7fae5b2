import type { RunsClient } from 'runs-client';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { isStartedInSlack } from '../../following/create-run.ts';
import type { Requests } from '../../store/requests/requests.ts';

type Calls = RunsClient['runs'];

/** What features read from the runs service. */
export type ReadableRuns = {
  get(...asked: Parameters<Calls['get']>): PromiseLike<Run>;
  list(...asked: Parameters<Calls['list']>): PromiseLike<Page>;
};
type Page = Pick<Awaited<ReturnType<Calls['list']>>, 'runs' | 'page_info'>;

type OwnRunsParts = {
  runs: ReadableRuns;
  requests: Pick<Requests, 'findOfRuns'>;
  teamId: string;
  /** Whether other workspaces use the same service. */
  isShared: boolean;
};

/**
 * The runs that people of one workspace started and, unless the service is shared, those that weren't started in Slack. A
 * run in Slack without a request isn't there: that was deleted, or is another bot's, so nobody knows who may see it.
 */
export function ownRuns({ runs, requests, teamId, isShared }: OwnRunsParts): ReadableRuns {
  async function only(found: readonly Run[]): Promise<Run[]> {
    const known = await requests.findOfRuns(found);
    return found.filter((run) => {
      const request = known.get(run.run_id);
      return request ? request.teamId === teamId : !isShared && !isStartedInSlack(run);
    });
  }
  return {
    async get(...asked) {
      const [run] = await only([await runs.get(...asked)]);
      if (run) return run;
      throw new RunsApiError({ code: 'not_found', message: 'not a run of this workspace' });
    },
    async list(...asked) {
      const { runs: found, page_info } = await runs.list(...asked);
      return { runs: await only(found), page_info };
    },
  };
}
