import type { PublishGit } from './publish-git.ts';

export type RemoteBranches = {
  /** The branch of the server's HEAD; undefined if the repository is empty. */
  defaultBranch: string | undefined;
  /** The commit of a branch; undefined if there is no such branch. */
  tips: Map<string, string>;
};

/** What the server has now of these branches. */
export async function listBranches(
  git: PublishGit,
  url: string,
  branches: readonly string[],
): Promise<RemoteBranches> {
  const refs = branches.map((branch) => `refs/heads/${branch}`);
  const lines = (await git(['ls-remote', '--symref', '--', url, 'HEAD', ...refs])).split('\n');
  const tips = new Map<string, string>();
  let defaultBranch: string | undefined;
  for (const line of lines) {
    const [what = '', ref = ''] = line.split('\t');
    if (ref === 'HEAD' && what.startsWith('ref: '))
      defaultBranch = what.slice('ref: refs/heads/'.length);
    else if (ref.startsWith('refs/heads/')) tips.set(ref.slice('refs/heads/'.length), what);
  }
  return { defaultBranch, tips };
}

/** Gets the commits of these branches. What the objects folder of the mirror has isn't downloaded again. */
export async function fetchBranches(
  git: PublishGit,
  url: string,
  branches: readonly string[],
): Promise<void> {
  if (branches.length === 0) return;
  const refs = branches.map((branch) => `+refs/heads/${branch}:refs/remotes/origin/${branch}`);
  await git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', url, ...refs]);
}
