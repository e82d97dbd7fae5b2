import type { ServiceRunFollowups } from '../../store/runs/service-run-followups.ts';
import type { ServiceRuns } from '../../store/runs/service-runs.ts';
import type { ExecutedRun } from '../executed-run.ts';

type Stores = {
  runs: Pick<ServiceRuns, 'earlierOfConversation'>;
  followups: Pick<ServiceRunFollowups, 'listOf'>;
};

/** The runs before this one in its conversation with all that people said, oldest first. */
export async function readEarlierRuns({ runs, followups }: Stores, run: ExecutedRun) {
  const earlier = await runs.earlierOfConversation(run);
  const all = earlier.map(async ({ id, prompt, state, status_json }) => ({
    id,
    prompt,
    state,
    status_json,
    followups: await followups.listOf(id),
  }));
  return Promise.all(all);
}
