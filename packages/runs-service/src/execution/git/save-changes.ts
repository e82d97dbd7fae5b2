import { closeSync, createReadStream, createWriteStream, openSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { createRedactor } from '../output/redactor.ts';
import type { RunContext, StepDeps } from '../run-context.ts';
import type { Checkout } from './checkout.ts';
import { GitError, runGitCommand } from './git.ts';
import { createPatchSummary } from './patch-summary.ts';

/**
 * Saves the agent's changes as a patch file. A failure doesn't fail the run, but is noted in its timeline. A partial
 * patch gets another name, so that no later run starts from it.
 */
export async function saveChanges(
  { store, machine, limits }: Pick<StepDeps, 'store' | 'machine' | 'limits'>,
  { run, hidden, signal, toolSandbox: sandbox, workDir, progress }: RunContext,
  checkouts: readonly Checkout[],
): Promise<void> {
  const { files, path } = machine;
  const { patchLimitBytes } = limits;
  const [whole, incomplete] = [files.patchFile(run.id), files.incompletePatchFile(run.id)];
  for (const earlier of [whole, incomplete]) await rm(earlier, { force: true });
  const unfinished = `${whole}.new`;
  const writer = createPatchWriter(unfinished, hidden, patchLimitBytes);
  // Limit saving to 2 seconds if the run is aborted, because a stop of the service waits for it.
  const limit = AbortSignal.timeout(signal.aborted ? 2_000 : 60_000);
  const ended = AbortSignal.any([limit, writer.full]);
  const summary = createPatchSummary();
  const onOutput = (chunk: Buffer) => {
    writer.push(chunk);
    summary.push(chunk);
  };
  const reading = { sandbox, workDir, path, signal: ended, onOutput };
  let problem: string | undefined;
  try {
    for (const checkout of checkouts) await readChanges(checkout, reading);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    problem = error.message;
  } finally {
    writer.close();
  }
  if (writer.full.aborted)
    problem = `They're larger than ${sizeOf(patchLimitBytes)}, so only the first part was saved.`;
  if (problem === undefined) {
    progress.setChanges(summary.read());
    const bases = checkouts.map(({ folder, base }) => ({ folder, base }));
    await writeFile(files.basesFile(run.id), JSON.stringify(bases), { mode: 0o600 });
    return rename(unfinished, whole);
  }
  await saveIncomplete(unfinished, incomplete);
  await store.note(run.id, `Couldn't save all changes. ${problem}`);
}

const mebibyte = 1024 * 1024;

const sizeOf = (bytes: number) =>
  bytes < mebibyte ? `${bytes} bytes` : `${Math.floor(bytes / mebibyte)} MiB`;

/**
 * Shell script that prints the changes. Arguments: the run's folder, the object format, the checkout, and the commit
 * to compare with.
 */
const script = `chmod u+rwx "$1" && cd "$1" && git_dir=$(mktemp -d "$1/changes-XXXXXXXX") &&
git init --quiet --bare --object-format="$2" "$git_dir" && cd "$3" &&
export GIT_DIR="$git_dir" GIT_WORK_TREE="$3" && git read-tree "$4" && git add --all -- . &&
exec git diff --cached --no-color --no-ext-diff --no-textconv --find-renames --binary "$4"`;

/**
 * Prints a patch from the run's first commit to its current files, committed or not. Runs in the sandbox, because git
 * obeys settings that agents can write. Settings of submodules apply even with a separate git folder.
 */
async function readChanges(
  { dir, objectsDir, base }: Checkout,
  options: {
    sandbox: Sandbox;
    workDir: string;
    path: string;
    signal: AbortSignal;
    onOutput(chunk: Buffer): void;
  },
): Promise<void> {
  const { sandbox, workDir, ...reading } = options;
  const format = base.length > 40 ? 'sha256' : 'sha1';
  await runGitCommand(['sh', '-c', script, 'git', workDir, format, dir, base], {
    ...reading,
    run: sandbox.run,
    // Start outside the run's folder, because agents can remove the permission to enter that folder.
    cwd: '/',
    variables: { HOME: workDir, GIT_ALTERNATE_OBJECT_DIRECTORIES: objectsDir },
  });
}

/**
 * First lines of an incomplete patch. They make git reject the whole patch, because their hunk has no file. Without
 * them at the start, git would apply everything before the cut.
 */
const incompleteHeader = 'This patch is incomplete. Do not apply it.\n@@ -1 +1 @@\n';

/** Moves an incomplete patch to a file that git can't apply. */
export async function saveIncomplete(part: string, file: string): Promise<void> {
  await writeFile(file, incompleteHeader, { mode: 0o600 });
  await pipeline(createReadStream(part), createWriteStream(file, { flags: 'a' }));
  await rm(part);
}

type PatchWriter = {
  push(chunk: Buffer): void;
  /** Aborts at the size limit, or when writing fails. */
  full: AbortSignal;
  /**
   * Closes the file.
   * @throws the file system's error if the patch couldn't be written
   */
  close(): void;
};

/** Creates a writer for a patch, which masks secrets and stops at a limit. */
export function createPatchWriter(
  file: string,
  secrets: readonly string[],
  limitBytes: number,
): PatchWriter {
  const descriptor = openSync(file, 'w', 0o600);
  const redactor = createRedactor(secrets);
  const full = new AbortController();
  let room = limitBytes;
  let failure: { error: unknown } | undefined;

  /** Adds a chunk. Keeps errors for `close`, because an exception in a stream's listener would end the process. */
  function append(chunk: Buffer): void {
    if (full.signal.aborted) return;
    try {
      writeFileSync(descriptor, chunk.subarray(0, room));
    } catch (error) {
      failure = { error };
    }
    if (failure || chunk.length > room) full.abort();
    room -= chunk.length;
  }

  return {
    push: (chunk: Buffer) => append(redactor.push(chunk)),
    full: full.signal,
    close() {
      append(redactor.flush());
      closeSync(descriptor);
      if (failure) throw failure.error;
    },
  };
}
