import { join } from 'node:path';
import { GitError, runGit } from 'runs-service/execution/git/git';
import { createKeyedLock } from 'runs-service/execution/keyed-lock';
import { runOnHost } from 'runs-service/sandbox/run-on-host';
import { demoAuthor } from '../demo-author.ts';
import type { PullRequest } from './pull-requests.ts';

type MergeResult = { commit: string } | { problem: string };

/**
 * Creates functions that read and merge the demo's repositories. Agents don't write to them, because the runs service
 * pushes the changes.
 */
export function createRepositories(folder: string, path: string) {
  const withLock = createKeyedLock();
  const git = async (repository: string, ...args: string[]): Promise<string> => {
    const signal = AbortSignal.timeout(20_000);
    const options = { run: runOnHost, cwd: join(folder, repository), path, signal };
    return (await runGit(args, { ...options, variables: demoAuthor })).trimEnd();
  };
  const tipOf = (repository: string, branch: string) =>
    git(repository, 'rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}`);

  return {
    tipOf,
    hasBranch: (repository: string, branch: string): Promise<boolean> =>
      tipOf(repository, branch).then(
        () => true,
        () => false,
      ),

    diff({ repository, head, base, merge }: PullRequest): Promise<string> {
      const range = merge
        ? `${merge.commit}^1..${merge.commit}`
        : `refs/heads/${base}...refs/heads/${head}`;
      return git(repository, 'diff', '--no-ext-diff', range, '--');
    },

    /** Merges the pull request. Returns the existing merge if an earlier call merged it and then crashed. */
    merge: ({ repository, number, head, base }: PullRequest): Promise<MergeResult> =>
      withLock(repository, async () => {
        const title = `Merge pull request #${number}`;
        const earlier = ['log', '-1', '--format=%H', '--fixed-strings', `--grep=${title} `];
        const found = await git(repository, ...earlier, `refs/heads/${base}`);
        if (found !== '') return { commit: found };
        const current = await git(repository, 'branch', '--show-current');
        if (current !== base) return { problem: `The demo only merges into ${current}.` };
        try {
          const message = `${title} from ${head}`;
          await git(repository, 'merge', '--no-ff', '--message', message, `refs/heads/${head}`);
          return { commit: await tipOf(repository, base) };
        } catch (error) {
          if (!(error instanceof GitError)) throw error;
          await git(repository, 'reset', '--merge');
          return { problem: 'Merge conflict' };
        }
      }),
  };
}
export type Repositories = ReturnType<typeof createRepositories>;
