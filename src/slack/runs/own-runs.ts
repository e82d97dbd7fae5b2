import type { RunsClient } from 'runs-client';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { Requests } from '../../store/requests/requests.ts';

type Calls = RunsClient['runs'];

/** What features read from the runs service. */
export type ReadableRuns = {
  get(...asked: Parameters<Calls['get']>): PromiseLike<Run>;
  list(...asked: Parameters<Calls['list']>): PromiseLike<Page>;
};
type Page = Pick<Awaited<ReturnType<Calls['list']>>, 'runs' | 'page_info'>;

/**
 * The runs that people of one workspace started, where several workspaces share a runs service. The others, also those
 * that weren't started from Slack, aren't there.
 */
export function ownRuns(
  runs: ReadableRuns,
  requests: Pick<Requests, 'findOfRuns'>,
  teamId: string,
): ReadableRuns {
  async function only(found: readonly Run[]): Promise<Run[]> {
    const known = await requests.findOfRuns(found);
    return found.filter(({ run_id: id }) => known.get(id)?.teamId === teamId);
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
