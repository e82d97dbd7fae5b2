import type { PullRequest, WantedAction } from '../../store/publication.ts';
import type { BranchWork } from '../branch-work.ts';
import type { Look } from '../hosts/code-host.ts';
import { PublishProblem } from '../publish-problem.ts';
import { updateBranch } from './update-branch.ts';

/**
 * Does what someone asked for, unless it's already so: the answer to an earlier attempt may have been lost.
 * @returns the pull request after it
 * @throws PublishProblem, GitError
 */
export async function actOnPullRequest(
  work: BranchWork,
  { number }: PullRequest,
  { action, head, askedAt }: WantedAction,
): Promise<Look> {
  const { host, signal } = work;
  const before = await host.look(number, {}, signal);
  const { state, head: found } = before.pullRequest;
  if (state === 'merged') return before;
  if (state === 'closed') throw new PublishProblem(`Pull request #${number} was closed.`);
  switch (action) {
    case 'update_branch':
      await updateBranch(work, askedAt);
      break;
    case 'mark_ready':
      if (state === 'open') return before;
      await host.markReady(number, signal);
      break;
    case 'merge':
      if (found !== head)
        throw new PublishProblem(
          `Pull request #${number} has newer commits than when you asked. Review them, then merge again.`,
        );
      await host.merge(number, head, signal);
  }
  return host.look(number, before.seen, signal);
}
