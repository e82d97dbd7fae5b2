import type { Run } from 'runs-client/contract';
import { requestIdKey } from 'runs-client/create-attempt';
import { operatorConnection } from '../../requests/connection.ts';
import type { Store } from '../../store/store.ts';
import type { People } from './people.ts';
import type { Rights } from './rights.ts';

type SignedInParts = {
  owner: Pick<Store['owner'], 'has'>;
  workspaceOf(teamId: string): {
    rights: Pick<Rights, 'refuseSee' | 'authorizeAnswer'>;
    people: Pick<People, 'readNames'>;
  };
  requests: Pick<Store['requests'], 'findOfRuns' | 'findVisible'>;
  /** Returns true if several workspaces share the service. Then nobody sees runs that weren't started from Slack. */
  isShared(): boolean;
};

type SlackPerson = { teamId: string; userId: string };
type StoredRun = Pick<Run, 'run_id' | 'metadata'>;

/**
 * What people who signed in with Slack can do with a run, by the same rules as in Slack. Only those of the app's workspaces
 * count. A run of another bot's request is unknown here, so nobody sees it.
 */
export function createSignedIn({ owner, workspaceOf, requests, isShared }: SignedInParts) {
  /** Undefined if they don't see it. A run that started elsewhere has no request. */
  async function see(person: SlackPerson, run: StoredRun) {
    const { teamId } = person;
    if (teamId === '' || !(await owner.has(teamId))) return undefined;
    const workspace = workspaceOf(teamId);
    if (await workspace.rights.refuseSee(person)) return undefined;
    const request = (await requests.findOfRuns(operatorConnection, [run])).get(run.run_id);
    const isSeen = request
      ? (await requests.findVisible(person, [request.id])).has(request.id)
      : !isShared() && run.metadata?.[requestIdKey] === undefined;
    return isSeen ? { workspace, request } : undefined;
  }

  return {
    maySee: async (person: SlackPerson, run: StoredRun): Promise<boolean> =>
      (await see(person, run)) !== undefined,

    /** Who answers the run's agent, by the rules of its channel. Undefined if they may not. */
    async nameToAnswer(person: SlackPerson, run: StoredRun): Promise<string | undefined> {
      const { userId } = person;
      const { workspace, request } = (await see(person, run)) ?? {};
      if (!request || !workspace) return undefined;
      if ('refusal' in (await workspace.rights.authorizeAnswer(request, userId))) return undefined;
      return (await workspace.people.readNames([userId])).get(userId) ?? userId;
    },
  };
}
