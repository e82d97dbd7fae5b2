import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { isStartedInSlack } from '../../../following/steps/create-request.ts';
import { operatorConnection, serviceOf } from '../../../requests/connection.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { Connect, Connected } from '../../configuration/connect.ts';
import type { ForeignRun } from '../showing/run-rows.ts';

type Calls = Connected['runs'];

/** Run of a request, or one that wasn't started in Slack. */
export type FoundRun = { request: RunRequest } | ForeignRun;

/** Runs on a connection's service that people of this workspace can see. */
export type OwnRuns = {
  connectionId: string;
  serviceId: string;
  /**
   * Finds a run by its ID.
   * @throws RunsApiError, with `not_found` for a run of another workspace
   */
  find(...input: Parameters<Calls['get']>): Promise<FoundRun>;
  list(
    ...input: Parameters<Calls['list']>
  ): Promise<Pick<Awaited<ReturnType<Calls['list']>>, 'runs' | 'page_info'>>;
};
export type ReadOwnRuns = (connectionId: string) => OwnRuns;

type OwnRunsDeps = {
  connect: Connect;
  requests: Requests;
  teamId: string;
  /** Returns true if other workspaces also use the operator's connection. */
  isShared(): boolean;
};

/**
 * Creates the reader of one workspace's runs. If no other workspace shares the connection, runs from outside Slack are
 * included. A run from Slack without a request is hidden. Its request was deleted or belongs to another bot, so nobody
 * knows who can see it.
 */
export function createOwnRuns({ connect, requests, teamId, isShared }: OwnRunsDeps): ReadOwnRuns {
  return (connectionId) => {
    const serviceId = serviceOf(connectionId);
    const hidesOthers = () => isShared() && connectionId === operatorConnection;

    async function only(found: readonly Run[]) {
      const ofRuns = await requests.findOfRuns(serviceId, found);
      const all = found.map((run) => ({ run, request: ofRuns.get(run.run_id) }));
      return all.filter(({ run, request }) =>
        request ? request.teamId === teamId : !hidesOthers() && !isStartedInSlack(run),
      );
    }

    return {
      connectionId,
      serviceId,
      async find(...input) {
        const { runs } = await connect(connectionId);
        const [found] = await only([await runs.get(...input)]);
        if (!found)
          throw new RunsApiError({ code: 'not_found', message: 'not a run of this workspace' });
        const { run, request } = found;
        return request ? { request } : { run, connectionId };
      },
      async list(...input) {
        const { runs } = await connect(connectionId);
        const { runs: found, page_info } = await runs.list(...input);
        return { runs: (await only(found)).map(({ run }) => run), page_info };
      },
    };
  };
}
