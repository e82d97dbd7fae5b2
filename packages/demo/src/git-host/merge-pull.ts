import type { PullRequest, PullRequests } from './pull-requests.ts';
import type { Repositories } from './repository.ts';

/** Merges a pull request. Returns why it can't be merged, or undefined when it is. */
export async function mergePull(
  { pulls, repositories }: { pulls: PullRequests; repositories: Repositories },
  pull: PullRequest,
): Promise<string | undefined> {
  if (pull.merge) return undefined;
  if (pull.draft) return 'The pull request is a draft. Mark it as ready first.';
  const result = await repositories.merge(pull);
  if ('problem' in result) return result.problem;
  pulls.change(pull, { merge: { commit: result.commit, at: new Date().toISOString() } });
  return undefined;
}
