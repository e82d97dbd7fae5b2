import type { Wall } from '../../sandbox/wall.ts';
import type { Checkout } from './checkout.ts';
import { runGitCommand } from './git.ts';

/** Arguments: the run's folder, the format of objects, the checkout, the commit to compare with. */
const script = `chmod u+rwx "$1" && cd "$1" && git_dir=$(mktemp -d "$1/changes-XXXXXXXX") &&
git init --quiet --bare --object-format="$2" "$git_dir" && cd "$3" &&
export GIT_DIR="$git_dir" GIT_WORK_TREE="$3" && git read-tree "$4" && git add --all -- . &&
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
  const format = base.length > 40 ? 'sha256' : 'sha1';
  await runGitCommand(['sh', '-c', script, 'git', workDir, format, dir, base], {
    ...reading,
    run: wall.run,
    // Agents can take away their own right to enter their folder.
    cwd: '/',
    variables: { HOME: workDir, GIT_ALTERNATE_OBJECT_DIRECTORIES: objectsDir },
  });
}
