import type { PublishConfig } from '../../environments/publish-config.ts';
import { GitError } from '../../execution/git/git.ts';
import { PublishProblem } from '../publish-problem.ts';
import { type PublishGit, unlessGitFails } from './publish-git.ts';

export type CommitPlan = {
  patchFile: string;
  /** Commit that the run started from. */
  start: string;
  /** Newest commit of the branch on the server. Undefined if the branch doesn't exist. */
  tip: string | undefined;
  /** Newest commit of the base branch on the server. */
  baseTip: string;
} & CommitText;

type CommitText = Signature & {
  message: string;
  /** Time of the commit. Each attempt uses the same time, so that a repeated build makes the same commit. */
  atSeconds: number;
};

type Signature = { author: { name: string; email: string }; signingKeyFile: string | undefined };

const usualAuthor = { name: 'slash-agent', email: 'slash-agent@localhost' };

/** Returns the author and the signing key for the service's commits. */
export const signatureOf = (config: PublishConfig): Signature => ({
  author: config.author ?? usualAuthor,
  signingKeyFile: config.signing_key_file,
});

/**
 * Builds a commit with the run's changes on top of the branch, and returns its hash. Returns the branch's tip if the
 * tip already has the changes. The patch is applied to an index without files, so its links and attributes have no
 * effect.
 */
export async function buildCommit(git: PublishGit, plan: CommitPlan): Promise<string> {
  const { start, tip, baseTip } = plan;
  if (!(await unlessGitFails(git(['cat-file', '-t', `${start}^{commit}`]))))
    throw new PublishProblem(
      `The commit ${start.slice(0, 8)} that the run started from isn't in the repository anymore. Run this again.`,
    );
  await git(['read-tree', start]);
  await applyPatch(git, plan.patchFile);
  const tree = (await git(['write-tree'])).trim();
  const has = async (rev: string) => (await git(['rev-parse', rev])).trim();
  const tipHasStart = tip !== undefined && (await isAncestor(git, start, tip));
  if (tipHasStart && (await treeOfLatestRun(git, start, tip)) === tree) return tip;
  if (tip !== undefined) await assertStartIsNewEnough(git, { start, tip, baseTip });
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

/**
 * Returns the tree of the newest commit with a run's changes. Commits after it can only be merges of the base branch.
 */
const treeOfLatestRun = async (git: PublishGit, start: string, tip: string): Promise<string> => {
  const runs = ['--first-parent', '--grep=^Run-Id: ', '--max-count=1', '--format=%T'];
  return (await git(['log', ...runs, `${start}..${tip}`])).trim();
};

/**
 * Throws if the branch has base commits that the run didn't start from. The run's changes would revert those commits.
 * @throws PublishProblem
 */
async function assertStartIsNewEnough(
  git: PublishGit,
  { start, tip, baseTip }: Record<'start' | 'tip' | 'baseTip', string>,
): Promise<void> {
  const merged = (await unlessGitFails(git(['merge-base', tip, baseTip])))?.trim();
  if (merged === undefined || merged === tip || (await isAncestor(git, merged, start))) return;
  throw new PublishProblem(
    `The branch has commits of its base up to ${merged.slice(0, 8)}, and the run started from an older one. Run this again.`,
  );
}

/** Merges two trees without writing files. Returns the merged tree's hash, or undefined if there are conflicts. */
export async function mergeTrees(
  git: PublishGit,
  ours: string,
  theirs: string,
): Promise<string | undefined> {
  return (await unlessGitFails(git(['merge-tree', '--write-tree', ours, theirs])))?.trim();
}

export async function commitTree(
  git: PublishGit,
  { message, author, atSeconds, signingKeyFile }: CommitText,
  tree: string,
  parents: readonly string[],
): Promise<string> {
  const date = `@${atSeconds} +0000`;
  const { name, email } = author;
  const variables = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
  const signing = signingKeyFile === undefined ? [] : [`--gpg-sign=${signingKeyFile}`];
  const onto = parents.flatMap((parent) => ['-p', parent]);
  const args = ['commit-tree', ...signing, ...onto, '-F', '-', tree];
  try {
    return (await git(args, { input: message, variables })).trim();
  } catch (error) {
    if (signingKeyFile === undefined || !(error instanceof GitError)) throw error;
    throw new PublishProblem(
      'The commit can\'t be signed. Check that the file of "signing_key_file" under "publish" is an SSH key without a passphrase that only the service can read.',
      { cause: error },
    );
  }
}

export const isAncestor = async (git: PublishGit, one: string, other: string): Promise<boolean> =>
  (await unlessGitFails(git(['merge-base', '--is-ancestor', one, other]))) !== undefined;

/**
 * Describes the base branch's commits that the published commit doesn't contain. Returns undefined if there are none.
 */
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
  return (await mergeTrees(git, baseTip, commit)) === undefined
    ? `${moved} They conflict with the changes. Ask the agent to resolve that in a follow-up, or merge ${base} into the branch.`
    : moved;
}
