import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { isStartedInSlack } from '../../following/create-run.ts';
import { operatorConnection, serviceOf } from '../../requests/connection.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Connect, Connected } from './connected.ts';

type Calls = Connected['runs'];

/** What features read from a runs service. */
export type ReadableRuns = {
  get: Calls['get'];
  list(...asked: Parameters<Calls['list']>): Promise<Page>;
};
type Page = Pick<Awaited<ReturnType<Calls['list']>>, 'runs' | 'page_info'>;

/** The runs that people of this workspace see through a connection, on its service. */
export type OwnRuns = ReadableRuns & { connectionId: string; serviceId: string };
export type ReadOwnRuns = (connectionId: string) => OwnRuns;

type OwnRunsParts = {
  connect: Connect;
  requests: Pick<Requests, 'findOfRuns'>;
  teamId: string;
  /** Whether other workspaces use the operator's connection too. */
  isShared: boolean;
};

/**
 * The runs that people of one workspace started and, unless the connection is shared, those that weren't started in Slack.
 * A run in Slack without a request isn't there: that was deleted, or is another bot's, so nobody knows who may see it.
 */
export function createOwnRuns({ connect, requests, teamId, isShared }: OwnRunsParts): ReadOwnRuns {
  return (connectionId) => {
    const { runs } = connect(connectionId);
    const serviceId = serviceOf(connectionId);
    const hidesOthers = isShared && connectionId === operatorConnection;

    async function only(found: readonly Run[]): Promise<Run[]> {
      const known = await requests.findOfRuns(serviceId, found);
      return found.filter((run) => {
        const request = known.get(run.run_id);
        return request ? request.teamId === teamId : !hidesOthers && !isStartedInSlack(run);
      });
    }
    return {
      connectionId,
      serviceId,
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
  };
}
