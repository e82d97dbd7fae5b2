import { withSoftTimeout } from 'base/time/soft-timeout';
import type { Run } from 'runs-client/contract';
import { requestIdKey } from 'runs-client/create-attempt';
import { operatorConnection } from '../../requests/connection.ts';
import type { Store } from '../../store/store.ts';
import type { People } from './people.ts';
import type { Rights } from './rights.ts';

/** Max time that a session page waits for a name, in ms. */
const maxNameMs = 1_000;

type SlackPerson = { teamId: string; userId: string };
type StoredRun = Pick<Run, 'run_id' | 'metadata'>;

/**
 * Creates the rights of people who signed in with Slack to session pages. They can do the same as in Slack, if they're
 * members of the app's workspaces. Nobody sees a run that another installation of the bot started, because its request
 * isn't in this database.
 */
export function createSignedIn(deps: {
  owner: Pick<Store['owner'], 'has'>;
  workspaceOf(teamId: string): {
    rights: Pick<Rights, 'denySee' | 'authorizeAnswer'>;
    people: Pick<People, 'readNames'>;
  };
  requests: Pick<Store['requests'], 'findOfRuns' | 'findVisible'>;
  /** Returns true if several workspaces share the runs service. Nobody then sees runs that weren't started in Slack. */
  isShared(): boolean;
}) {
  const { owner, workspaceOf, requests, isShared } = deps;
  /**
   * Finds the request of a run, if the person can see the run. Returns undefined if they can't. A run from outside
   * Slack has no request.
   */
  async function see(person: SlackPerson, run: StoredRun) {
    const { teamId } = person;
    if (teamId === '' || !(await owner.has(teamId))) return undefined;
    const workspace = workspaceOf(teamId);
    if (await workspace.rights.denySee(person)) return undefined;
    const request = (await requests.findOfRuns(operatorConnection, [run])).get(run.run_id);
    const isSeen = request
      ? (await requests.findVisible(person, [request.id])).has(request.id)
      : !isShared() && run.metadata?.[requestIdKey] === undefined;
    return isSeen ? { workspace, request } : undefined;
  }

  return {
    /** Returns the name of the person who started a run in Slack, or undefined. Doesn't wait long for Slack. */
    async nameCreator(run: StoredRun): Promise<string | undefined> {
      const request = (await requests.findOfRuns(operatorConnection, [run])).get(run.run_id);
      if (!request) return undefined;
      const { teamId, creatorId } = request;
      const names = workspaceOf(teamId).people.readNames([creatorId]);
      return (await withSoftTimeout(names, maxNameMs))?.get(creatorId);
    },

    canSee: async (person: SlackPerson, run: StoredRun): Promise<boolean> =>
      (await see(person, run)) !== undefined,

    /** Returns the name of the signed-in person if they can answer the run's agent, or else undefined. */
    async nameToAnswer(person: SlackPerson, run: StoredRun): Promise<string | undefined> {
      const { userId } = person;
      const { workspace, request } = (await see(person, run)) ?? {};
      if (!request || !workspace) return undefined;
      if ('denial' in (await workspace.rights.authorizeAnswer(request, userId))) return undefined;
      return (await workspace.people.readNames([userId])).get(userId) ?? userId;
    },
  };
}
