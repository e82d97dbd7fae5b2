import type { RunListQuery } from '../../store/run-filter.ts';
import type { RunPage } from '../../store/run-list.ts';
import type { Runs, StoredRun } from '../../store/runs.ts';
import type { KeyOwner } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';

type ListRuns = (query: RunListQuery) => Promise<RunPage>;

export const canOpen = (
  { role, creator }: KeyOwner,
  run: Pick<StoredRun, 'creator_uid'>,
): boolean => role !== 'own' || run.creator_uid === creator.uid;

/** Returns an ID of a key's owner. The ID includes the type, because a person and a program can have the same name. */
export const keyUidOf = ({ creator }: KeyOwner): string => `${creator.type} ${creator.uid}`;

export const canChange = (owner: KeyOwner, run: StoredRun): boolean =>
  owner.role !== 'read' && canOpen(owner, run);

/**
 * Creates the functions through which the API reads runs. A key with the role `own` sees only its owner's runs, other
 * keys see all.
 */
export function createVisibleRuns(runs: Runs, listRuns: ListRuns) {
  return {
    /**
     * Returns a run that this reader can see.
     * @throws ApiProblem if there is no such run
     */
    async get(reader: KeyOwner, id: string): Promise<StoredRun> {
      const run = await runs.get(id);
      if (!run || !canOpen(reader, run))
        throw new ApiProblem('resource_not_found', `Run "${id.slice(0, 100)}" doesn't exist.`);
      return run;
    },

    async list({ role, creator }: KeyOwner, query: RunListQuery): Promise<RunPage> {
      if (role !== 'own') return listRuns(query);
      const { creatorUid = creator.uid } = query.filter;
      if (creatorUid !== creator.uid) return { runs: [] };
      return listRuns({ ...query, filter: { ...query.filter, creatorUid } });
    },

    /**
     * Returns true if this owner can continue a conversation. Only the key owner who began it can, even if other keys
     * see all runs. Otherwise, the next run would give the conversation's changes and memory to someone else.
     */
    async canContinue(owner: KeyOwner, conversationId: string): Promise<boolean> {
      return !(await runs.hasRunsOfOtherKeys(conversationId, keyUidOf(owner)));
    },
  };
}
export type VisibleRuns = ReturnType<typeof createVisibleRuns>;
