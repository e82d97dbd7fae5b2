import { PublishProblem } from '../publish-problem.ts';
import { type PublishGit, unlessGitFails } from './publish-git.ts';

export type CommitPlan = {
  patchFile: string;
  /** The commit that the run started from. */
  start: string;
  /** What the branch has on the server; undefined if there is no such branch. */
  tip: string | undefined;
  message: string;
  author: { name: string; email: string };
  /** Always the same for one run, so that a repeated build makes the same commit. */
  atSeconds: number;
  signingKeyFile: string | undefined;
};

/**
 * Makes a commit of the run's changes, on top of the branch. If the branch has it already, returns its tip. The
 * patch is applied to an index without files, so links and attributes in it are only content.
 */
export async function buildCommit(git: PublishGit, plan: CommitPlan): Promise<string> {
  const { start, tip } = plan;
  if (!(await unlessGitFails(git(['cat-file', '-t', `${start}^{commit}`]))))
    throw new PublishProblem(
      `The commit ${start.slice(0, 8)} that the run started from isn't in the repository anymore. Run this again.`,
    );
  await git(['read-tree', start]);
  await applyPatch(git, plan.patchFile);
  const tree = (await git(['write-tree'])).trim();
  const has = async (rev: string) => (await git(['rev-parse', rev])).trim();
  const tipHasStart = tip !== undefined && (await isAncestor(git, start, tip));
  if (tipHasStart && (await has(`${tip}^{tree}`)) === tree) return tip;
  if (tip === undefined && (await has(`${start}^{tree}`)) === tree)
    throw new PublishProblem(
      "The run's changes cancel each other out, so there is nothing to publish.",
    );
  const parents = tip === undefined ? [start] : [tip, ...(tipHasStart ? [] : [start])];
  return commitTree(git, plan, tree, parents);
}

async function applyPatch(git: PublishGit, file: string): Promise<void> {
  try {
    await git(['apply', '--cached', '--whitespace=nowarn', '-'], { input: { file } });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PublishProblem(`The run's changes can't be applied: ${why}`, { cause: error });
  }
}

async function commitTree(
  git: PublishGit,
  { message, author, atSeconds, signingKeyFile }: CommitPlan,
  tree: string,
  parents: readonly string[],
): Promise<string> {
  const date = `@${atSeconds} +0000`;
  const { name, email } = author;
  const variables = {
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  };
  const signing = signingKeyFile === undefined ? [] : [`--gpg-sign=${signingKeyFile}`];
  const onto = parents.flatMap((parent) => ['-p', parent]);
  const args = ['commit-tree', ...signing, ...onto, '-F', '-', tree];
  return (await git(args, { input: message, variables })).trim();
}

const isAncestor = async (git: PublishGit, one: string, other: string): Promise<boolean> =>
  (await unlessGitFails(git(['merge-base', '--is-ancestor', one, other]))) !== undefined;

/** How the base branch moved since the run started, for people; undefined if it didn't. */
export async function describeMovedBase(
  git: PublishGit,
  { base, baseTip, start, commit }: Record<'base' | 'baseTip' | 'start' | 'commit', string>,
): Promise<string | undefined> {
  const counted = await unlessGitFails(git(['rev-list', '--count', `${commit}..${baseTip}`]));
  const count = Number(counted ?? 0);
  if (count === 0) return undefined;
  const commits = `${count} ${count === 1 ? 'commit' : 'commits'}`;
  const moved = `${base} has ${commits} that the run didn't start from.`;
  if (!(await isAncestor(git, start, baseTip)))
    return `${moved} Its history was rewritten since ${start.slice(0, 8)}. Run this again on the new base.`;
  const merged = await unlessGitFails(git(['merge-tree', '--write-tree', baseTip, commit]));
  return merged === undefined
    ? `${moved} They conflict with the changes. Ask the agent to resolve that in a follow-up, or merge ${base} into the branch.`
    : moved;
}
