import { chmod, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Wall } from '../../isolation/wall.ts';
import type { Checkout } from './checkout.ts';
import { runGitCommand } from './git.ts';

/** Arguments: a new git folder, its object format, the checkout, the commit to compare with. */
const script = `git init --quiet --bare --object-format="$2" "$1" && cd "$3" &&
export GIT_DIR="$1" GIT_WORK_TREE="$3" && git read-tree "$4" && git add --all -- . &&
exec git diff --cached --no-color --no-ext-diff --no-textconv --find-renames --binary "$4"`;

/**
 * Prints a patch from the run's first commit to its files now, committed or not. Runs behind the wall, because git obeys
 * settings that agents can write: those of submodules, even with a git folder of its own.
 */
export async function readChanges(
  { dir, objectsDir, base }: Checkout,
  options: {
    wall: Wall;
    workDir: string;
    path: string;
    signal: AbortSignal;
    onOutput(chunk: Buffer): void;
  },
): Promise<void> {
  const { wall, workDir, ...reading } = options;
  // Agents can take away their own right to write to it.
  await chmod(workDir, 0o700);
  const scratch = join(await mkdtemp(join(workDir, 'changes-')), 'git');
  const format = base.length > 40 ? 'sha256' : 'sha1';
  await runGitCommand(['sh', '-c', script, 'git', scratch, format, dir, base], {
    ...reading,
    run: wall.run,
    cwd: workDir,
    variables: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objectsDir },
  });
}
