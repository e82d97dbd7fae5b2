import { assertOurs, type BranchWork, inScratchRepository, pushCommit } from '../branch-work.ts';
import { commitTree, isAncestor, mergeTrees, signatureOf } from '../git/build-commit.ts';
import { fetchBranches, listBranches } from '../git/remote-branches.ts';
import { PublishProblem } from '../publish-problem.ts';

/**
 * Merges the base into the branch. The service does that itself: hosts do it in different ways, GitLab by rewriting what
 * is published, and later runs have to know the commit as ours.
 * @throws PublishProblem, GitError
 */
export async function updateBranch(work: BranchWork, atMs: number): Promise<void> {
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
