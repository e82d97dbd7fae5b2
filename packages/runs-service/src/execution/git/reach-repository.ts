import { runOnHost } from '../../sandbox/run-on-host.ts';
import { accessTo, GitError, readerOf, runGit } from './git.ts';

const withinMs = 20_000;

/** Returns git's message if a repository's branches can't be listed, otherwise undefined. */
export async function whyUnreachable(
  url: string,
  { path, cwd }: { path: string; cwd: string },
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(withinMs);
  const { url: address, settings } = accessTo(url);
  try {
    const options = { run: runOnHost, cwd, path, signal, settings };
    await runGit(['ls-remote', '--quiet', '--heads', ...readerOf(address), '--', address], options);
    return undefined;
  } catch (error) {
    if (error instanceof GitError) return error.message;
    throw error;
  }
}
