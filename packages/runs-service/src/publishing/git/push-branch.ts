import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import { GitError, withoutCredentials } from '../../execution/git/git.ts';
import { PublishProblem } from '../publish-problem.ts';
import type { PublishGit } from './publish-git.ts';

export type RemoteBranches = {
  /** The branch of the server's HEAD; undefined if the repository is empty. */
  defaultBranch: string | undefined;
  /** The commit of a branch; undefined if there is no such branch. */
  tips: Map<string, string>;
};

/** Lists the server's commits of these branches. */
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

type Push = {
  url: string;
  branch: string;
  commit: string;
  /** Commit of the branch when it was listed. Undefined if it didn't exist. The push fails if that changed. */
  expected: string | undefined;
};

/**
 * Pushes one commit to one branch, never over what someone else pushed.
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
    const refused = /^!\t[^\t]*\t(.*)$/m.exec(Buffer.concat(status).toString('utf8'))?.[1];
    throw refused === undefined ? gitProblem(error) : refusal(branch, refused, error);
  }
}

/** A server can print its whole rules. */
const maxWords = 400;

function refusal(branch: string, refused: string, error: GitError): PublishProblem {
  if (
    /stale info|fetch first|non-fast-forward|cannot lock ref|reference already exists/.test(refused)
  )
    return new PublishProblem(`The branch ${branch} changed at the same moment.`, {
      mayPass: true,
      cause: error,
    });
  const words = error.message
    .split('\n')
    .flatMap((line) => /^remote: (?:error: )?(.*\S)/.exec(line)?.[1] ?? [])
    .join(' ');
  const said = shorten(readableLine(withoutCredentials(words || refused)), maxWords);
  return new PublishProblem(
    `The server refused the branch ${branch}: ${said}. Check its rules for branches, or change "branch" under "publish".`.replace(
      /\.\. /,
      '. ',
    ),
    { cause: error },
  );
}

/** Errors of git that don't concern one branch: what they mean and what to do. */
export function gitProblem(error: GitError): PublishProblem {
  const { message } = error;
  const because = (text: string) => new PublishProblem(text, { cause: error });
  if (
    /authentication failed|could not read (username|password)|terminal prompts disabled|error: 401/i.test(
      message,
    )
  )
    return because(
      'The server of the repository refused the login. Check the token under "publish" of the environment, or make a new one.',
    );
  if (/error: 403|permission (to|denied)|not allowed to push|denied to/i.test(message))
    return because(
      `The token under "publish" may not push to this repository. Give it write access to its contents. (${lastLine(message)})`,
    );
  if (/error: 404|repository .*not found|does not appear to be a git repository/i.test(message))
    return because(
      "The server has no such repository, or the token can't see it. Check the repository's URL and the token's access.",
    );
  if (/error: 30[1278]/.test(message))
    return because('The repository moved. Change its URL in the environment to the new address.');
  if (/error: (413|507)|unpack-objects|index-pack|exceeds/i.test(message))
    return because(`The server refused the size of the changes: ${lastLine(message)}`);
  return new PublishProblem(`Can't reach the repository: ${lastLine(message)}`, {
    mayPass: true,
    cause: error,
  });
}

const lastLine = (text: string) => text.split('\n').at(-1) ?? text;
