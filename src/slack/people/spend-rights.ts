/** Decides who can answer questions about spending. */
import { namedFor, type PolicyCase, policyForActor, rulingOn } from '../../policy/ruling.ts';
import { sharedAuthority } from '../../requests/authority.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Actors } from './actors.ts';
import type { Authorized } from './key-rights.ts';
import { denySpend } from './permissions.ts';
import type { PolicyPlace } from './policies.ts';

type SpendingRun = Pick<RunRequest, 'teamId' | 'channelId' | 'creatorId'> & { id?: string };

export const createSpendRights = (deps: {
  actors: Pick<Actors, 'readNow'>;
  policyFor(place: PolicyPlace): Promise<PolicyCase>;
  waitMs: number | undefined;
}) => ({
  /**
   * Decides if someone can allow a run more than a cap, or stop it there. Needs no keys of the run's creator, because the
   * answer doesn't instruct the agent.
   */
  async authorizeSpend(
    { teamId, channelId, creatorId }: SpendingRun,
    userId: string,
  ): Promise<Authorized> {
    const [actor, read] = await Promise.all([
      deps.actors.readNow({ teamId, userId }, deps.waitMs),
      deps.policyFor({ teamId, userId, channelId }),
    ]);
    const policy = policyForActor(read, actor);
    const denial = denySpend(actor, {
      isCreator: userId === creatorId,
      policy: rulingOn(policy, 'spend'),
      named: namedFor(policy, 'spend'),
    });
    return denial ? { denial } : { authority: sharedAuthority(userId) };
  },
});
