import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pruneFolder } from '../files/prune-folder.ts';
import { type GitOptions, runGit, runGitCommand } from './git.ts';

/** More than that makes git slow. From `gc.auto` and `gc.autoPackLimit`: https://git-scm.com/docs/git-gc */
const most = { count: 6_700, packs: 50 };

/** What a git that was killed leaves in the folder of packs, and no later one deletes. They can be large. */
const isUnfinished = (name: string) => /^\.?tmp[-_]/.test(name);
/** Longer than a git may take. */
const unfinishedMs = 60 * 60_000;

type PackingOptions = Omit<GitOptions, 'cwd'> & { mirrorsDir: string };

/**
 * Packs mirrors that many fetches have left in pieces, while runs use them. Keeps objects that no branch has anymore,
 * because a checkout may read them.
 * @returns how many mirrors
 * @throws GitError if one can't be packed, after the others
 */
export async function packMirrors({ mirrorsDir, ...options }: PackingOptions): Promise<number> {
  let packed = 0;
  const failures: unknown[] = [];
  const names = await readdir(mirrorsDir).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.git'))) {
    const cwd = join(mirrorsDir, name);
    try {
      packed += (await packMirror({ cwd, ...options })) ? 1 : 0;
    } catch (error) {
      options.signal.throwIfAborted();
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return packed;
}

/** @returns false if packing isn't worth it */
async function packMirror(mirror: GitOptions): Promise<boolean> {
  await pruneFolder(join(mirror.cwd, 'objects', 'pack'), unfinishedMs, { only: isUnfinished });
  const counted = await runGit(['count-objects', '-v'], mirror);
  const countOf = (what: string) => Number(new RegExp(`^${what}: (\\d+)$`, 'm').exec(counted)?.[1]);
  if (countOf('count') <= most.count && countOf('packs') <= most.packs) return false;
  const repack = ['git', 'repack', '--quiet', '-a', '-d', '--keep-unreachable'];
  await runGitCommand(['nice', '-n', '19', ...repack], mirror);
  return true;
}
