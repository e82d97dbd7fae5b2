import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import { GitError, withoutCredentials } from '../../execution/git/git.ts';
import { PublishProblem } from '../publish-problem.ts';
import type { PublishGit } from './publish-git.ts';

export type RemoteBranches = {
  /** Default branch on the server. Undefined if the repository is empty. */
  defaultBranch: string | undefined;
  /** Newest commit of each branch, by branch name. Branches that don't exist aren't included. */
  tips: Map<string, string>;
};

/** Asks the server for its default branch and the newest commits of these branches. */
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

/** Downloads these branches, except objects that the mirror's folder has. */
export async function fetchBranches(
  git: PublishGit,
  url: string,
  branches: readonly string[],
): Promise<void> {
  if (branches.length === 0) return;
  const refs = branches.map((branch) => `+refs/heads/${branch}:refs/remotes/origin/${branch}`);
  await git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', url, ...refs]);
}

type Push = {
  url: string;
  branch: string;
  commit: string;
  /**
   * Commit of the branch when it was listed. Undefined if the branch didn't exist. The push fails if the branch has
   * changed since then.
   */
  expected: string | undefined;
};

/**
 * Pushes one commit to one branch. Never overwrites commits that someone else pushed.
 * @throws PublishProblem
 */
export async function pushBranch(
  git: PublishGit,
  { url, branch, commit, expected = '' }: Push,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const lease = `--force-with-lease=${ref}:${expected}`;
  const status: Buffer[] = [];
  try {
    await git(['push', '--porcelain', '--no-verify', lease, '--', url, `${commit}:${ref}`], {
      onOutput: (chunk) => status.push(chunk),
    });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const rejected = /^!\t[^\t]*\t(.*)$/m.exec(Buffer.concat(status).toString('utf8'))?.[1];
    throw rejected === undefined ? gitProblem(error) : rejection(branch, rejected, error);
  }
}

/** Max characters of a server's message to show. Some servers print all their rules. */
const maxReasonCharacters = 400;

function rejection(branch: string, rejected: string, error: GitError): PublishProblem {
  if (
    /stale info|fetch first|non-fast-forward|cannot lock ref|reference already exists/.test(
      rejected,
    )
  )
    return new PublishProblem(`The branch ${branch} changed at the same moment.`, {
      isTemporary: true,
      cause: error,
    });
  const remoteMessage = error.message
    .split('\n')
    .flatMap((line) => /^remote: (?:error: )?(.*\S)/.exec(line)?.[1] ?? [])
    .join(' ');
  const reason = shorten(
    readableLine(withoutCredentials(remoteMessage || rejected)),
    maxReasonCharacters,
  );
  return new PublishProblem(
    `The server rejected the branch ${branch}: ${reason}. Check its rules for branches, or change "branch" under "publish".`.replace(
      /\.\. /,
      '. ',
    ),
    { cause: error },
  );
}

/** Converts a git error that isn't about one branch to a problem with advice. */
export function gitProblem(error: GitError): PublishProblem {
  const { message } = error;
  const because = (text: string) => new PublishProblem(text, { cause: error });
  if (
    /authentication failed|could not read (username|password)|terminal prompts disabled|error: 401/i.test(
      message,
    )
  )
    return because(
      'The repository\'s server rejected the login. Check the token under "publish" of the environment, or make a new one.',
    );
  if (/error: 403|permission (to|denied)|not allowed to push|denied to/i.test(message))
    return because(
      `The token under "publish" can't push to this repository. Give it write access to its contents. (${lastLine(message)})`,
    );
  if (/error: 404|repository .*not found|does not appear to be a git repository/i.test(message))
    return because(
      "The server has no such repository, or the token can't see it. Check the repository's URL and the token's access.",
    );
  if (/error: 30[1278]/.test(message))
    return because('The repository moved. Change its URL in the environment to the new address.');
  if (/error: (413|507)|unpack-objects|index-pack|exceeds/i.test(message))
    return because(`The server rejected the changes because of their size: ${lastLine(message)}`);
  return new PublishProblem(`Can't reach the repository: ${lastLine(message)}`, {
    isTemporary: true,
    cause: error,
  });
}

const lastLine = (text: string) => text.split('\n').at(-1) ?? text;
