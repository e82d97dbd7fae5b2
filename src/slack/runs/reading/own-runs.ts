import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { isStartedInSlack } from '../../../following/steps/create-request.ts';
import { operatorConnection, serviceOf } from '../../../requests/connection.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { ForeignRun } from '../showing/run-rows.ts';
import type { Connect, Connected } from './connect.ts';

type Calls = Connected['runs'];

type Page = Pick<Awaited<ReturnType<Calls['list']>>, 'runs' | 'page_info'>;

/** A run of a request, or one that was started elsewhere. */
export type FoundRun = { request: RunRequest } | ForeignRun;

/** The runs that people of this workspace see through a connection, on its service. */
export type OwnRuns = {
  connectionId: string;
  serviceId: string;
  /** @throws RunsApiError, also `not_found` for a run of others */
  find(...asked: Parameters<Calls['get']>): Promise<FoundRun>;
  list(...asked: Parameters<Calls['list']>): Promise<Page>;
};
export type ReadOwnRuns = (connectionId: string) => OwnRuns;

type OwnRunsParts = {
  connect: Connect;
  requests: Pick<Requests, 'findOfRuns'>;
  teamId: string;
  /** Whether other workspaces use the operator's connection too. */
  isShared(): boolean;
};

/**
 * The runs that people of one workspace started and, unless the connection is shared, those that weren't started in Slack.
 * A run in Slack without a request isn't there: that was deleted, or is another bot's, so nobody knows who may see it.
 */
export function createOwnRuns({ connect, requests, teamId, isShared }: OwnRunsParts): ReadOwnRuns {
  return (connectionId) => {
    const serviceId = serviceOf(connectionId);
    const hidesOthers = () => isShared() && connectionId === operatorConnection;

    async function only(found: readonly Run[]) {
      const known = await requests.findOfRuns(serviceId, found);
      const all = found.map((run) => ({ run, request: known.get(run.run_id) }));
      return all.filter(({ run, request }) =>
        request ? request.teamId === teamId : !hidesOthers() && !isStartedInSlack(run),
      );
    }

    return {
      connectionId,
      serviceId,
      async find(...asked) {
        const { runs } = await connect(connectionId);
        const [found] = await only([await runs.get(...asked)]);
        if (!found)
          throw new RunsApiError({ code: 'not_found', message: 'not a run of this workspace' });
        const { run, request } = found;
        return request ? { request } : { run, connectionId };
      },
      async list(...asked) {
        const { runs } = await connect(connectionId);
        const { runs: found, page_info } = await runs.list(...asked);
        return { runs: (await only(found)).map(({ run }) => run), page_info };
      },
    };
  };
}
