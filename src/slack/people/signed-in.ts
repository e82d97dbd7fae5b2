import type { Run } from 'runs-client/contract';
import type { Store } from '../../store/store.ts';
import type { createRunVisibility } from './run-visibility.ts';

type SignedInParts = {
  owner: Pick<Store['owner'], 'has'>;
  workspaceOf(teamId: string): { visibility: ReturnType<typeof createRunVisibility> };
};

type SlackPerson = { teamId: string; userId: string };
type ServiceRun = Pick<Run, 'run_id' | 'metadata'>;

/** What people who signed in with Slack can do with a run. Only those of the app's workspaces count. */
export function createSignedIn({ owner, workspaceOf }: SignedInParts) {
  const visibilityFor = async ({ teamId }: SlackPerson) =>
    teamId !== '' && (await owner.has(teamId)) ? workspaceOf(teamId).visibility : undefined;
  return {
    maySee: async (person: SlackPerson, run: ServiceRun): Promise<boolean> =>
      (await (await visibilityFor(person))?.maySee(person, run)) ?? false,

    /** Undefined if they may not change the run. */
    nameToAnswer: async (person: SlackPerson, run: ServiceRun): Promise<string | undefined> =>
      (await visibilityFor(person))?.nameToAnswer(person, run),
  };
}
