import type { PullRequest, WantedAction } from '../../store/publication.ts';
import { assertOurs, type BranchWork, inScratchRepository, pushCommit } from '../branch-work.ts';
import { commitTree, isAncestor, mergeTrees, signatureOf } from '../git/build-commit.ts';
import { fetchBranches, listBranches } from '../git/push-branch.ts';
import type { PullRequestPoll } from '../hosts/code-host.ts';
import { PublishProblem } from '../publish-problem.ts';

/**
 * Performs an action on a pull request. Does nothing if an earlier attempt already performed it, because the response
 * can have been lost.
 * @returns the pull request after the action
 * @throws PublishProblem, GitError
 */
export async function actOnPullRequest(
  work: BranchWork,
  { number }: PullRequest,
  { action, head, askedAt }: WantedAction,
): Promise<PullRequestPoll> {
  const { host, signal } = work;
  const before = await host.poll(number, {}, signal);
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
  return host.poll(number, before.seen, signal);
}

/**
 * Merges the base into the branch in a repository of the service. Code hosts aren't asked to do that, because GitLab
 * would rewrite published commits. Later runs must recognize the merge as the service's own commit.
 * @throws PublishProblem, GitError
 */
async function updateBranch(work: BranchWork, atMs: number): Promise<void> {
  const { branch, base, tip } = work.tracked.publication;
  if (base === null || tip === null) throw new PublishProblem('There is no branch to update.');
  await inScratchRepository(work, tip, async (git, url) => {
    const { tips } = await listBranches(git, url, [branch, base]);
    const [found, baseTip] = [tips.get(branch), tips.get(base)];
    if (found === undefined || baseTip === undefined)
      throw new PublishProblem(`The repository has no branch ${found ? base : branch} anymore.`);
    assertOurs(work, found);
    await fetchBranches(git, url, [branch, base]);
    const isCurrent = await isAncestor(git, baseTip, found);
    const merged = isCurrent ? undefined : await mergeTrees(git, found, baseTip);
    if (!isCurrent && merged === undefined)
      throw new PublishProblem(
        `${base} has changes that conflict with the branch ${branch}. Ask the agent to resolve that in a follow-up.`,
      );
    const text = {
      ...signatureOf(work.plan.config),
      message: `Merge ${base} into ${branch}\n`,
      atSeconds: Math.floor(atMs / 1000),
    };
    const commit =
      merged === undefined ? found : await commitTree(git, text, merged, [found, baseTip]);
    await pushCommit(work, git, { url, commit, tip: found });
  });
}
