import { rename, rm, writeFile } from 'node:fs/promises';
import type { RunContext, StepTools } from '../run-context.ts';
import type { Checkout } from './checkout.ts';
import { GitError } from './git.ts';
import { createPatchSummary } from './patch-summary.ts';
import { createPatchWriter, saveIncomplete } from './patch-writer.ts';
import { readChanges } from './read-changes.ts';

export type PatchTools = Pick<StepTools, 'files' | 'note' | 'path'> & {
  /** Of larger changes only the first part is saved, as an incomplete patch. */
  patchLimitBytes: number;
};

/**
 * Saves what the agent changed as a patch file. If that fails, the run doesn't fail, but says so. A partial patch gets
 * another name, so that no later run starts from it.
 */
export async function saveChanges(
  { files, note, path, patchLimitBytes }: PatchTools,
  { run, hidden, signal, tools: wall, workDir, progress }: RunContext,
  checkouts: readonly Checkout[],
): Promise<void> {
  const [whole, incomplete] = [files.patchFile(run.id), files.incompletePatchFile(run.id)];
  for (const earlier of [whole, incomplete]) await rm(earlier, { force: true });
  const unfinished = `${whole}.new`;
  const writer = createPatchWriter(unfinished, hidden, patchLimitBytes);
  // A stop of the service must not wait long for this.
  const limit = AbortSignal.timeout(signal.aborted ? 2_000 : 60_000);
  const ended = AbortSignal.any([limit, writer.full]);
  const summary = createPatchSummary();
  const onOutput = (chunk: Buffer) => {
    writer.push(chunk);
    summary.push(chunk);
  };
  const reading = { wall, workDir, path, signal: ended, onOutput };
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
  await note(run.id, `Couldn't save all changes. ${problem}`);
}

const mebibyte = 1024 * 1024;

const sizeOf = (bytes: number) =>
  bytes < mebibyte ? `${bytes} bytes` : `${Math.floor(bytes / mebibyte)} MiB`;
