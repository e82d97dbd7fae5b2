import type { Run } from 'runs-client/contract';
import { requestIdKey } from 'runs-client/create-attempt';
import type { Store } from '../../store/store.ts';
import type { Rights } from './rights.ts';

type VisibilityParts = {
  rights: Pick<Rights, 'refuseSee'>;
  owner: Pick<Store['owner'], 'teamId'>;
  requests: Pick<Store['requests'], 'findOfRuns' | 'findVisible'>;
};

type ServiceRun = Pick<Run, 'run_id' | 'metadata'>;

/**
 * Whether someone who signed in with Slack sees a run, by the same rules as in Slack. Only the app's own workspace
 * counts. A run of another bot's request is unknown here, so nobody sees it.
 */
export function createRunVisibility({ rights, owner, requests }: VisibilityParts) {
  return async (person: { teamId: string; userId: string }, run: ServiceRun): Promise<boolean> => {
    if (person.teamId === '' || person.teamId !== (await owner.teamId())) return false;
    if (await rights.refuseSee(person)) return false;
    const request = (await requests.findOfRuns([run])).get(run.run_id);
    if (!request) return run.metadata?.[requestIdKey] === undefined;
    return (await requests.findVisible(person, [request.id])).has(request.id);
  };
}
