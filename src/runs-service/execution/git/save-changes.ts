import { rename, rm } from 'node:fs/promises';
import type { Going, StepTools } from '../run-command.ts';
import { type Checkout, readChanges } from './checkout.ts';
import { GitError } from './git.ts';
import { createPatchWriter, keepIncomplete } from './patch-writer.ts';

export type PatchTools = Pick<StepTools, 'files' | 'note' | 'path'> & {
  /** Of larger changes only the beginning is kept, as an incomplete patch. */
  patchLimitBytes: number;
};

/**
 * What the agent changed, as a patch file. A run isn't failed because its changes can't be read; it says so. What is
 * not the whole patch has another name, so that nothing goes on from it.
 */
export async function saveChanges(
  { files, note, path, patchLimitBytes }: PatchTools,
  { run, hidden, signal }: Pick<Going, 'run' | 'hidden' | 'signal'>,
  checkouts: readonly Checkout[],
): Promise<void> {
  const [whole, incomplete] = [files.patchFile(run.id), files.incompletePatchFile(run.id)];
  for (const earlier of [whole, incomplete]) await rm(earlier, { force: true });
  const unfinished = `${whole}.new`;
  const writer = createPatchWriter(unfinished, hidden, patchLimitBytes);
  // A run that is being ended must not hold the service up.
  const limit = AbortSignal.timeout(signal.aborted ? 2_000 : 60_000);
  const reading = { path, signal: AbortSignal.any([limit, writer.full]), onOutput: writer.push };
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
    problem = `They are larger than ${sizeOf(patchLimitBytes)}, so only their beginning was kept`;
  if (problem === undefined) return rename(unfinished, whole);
  await keepIncomplete(unfinished, incomplete);
  await note(run.id, `The changes were not kept completely. ${problem}`);
}

const mebibyte = 1024 * 1024;

const sizeOf = (bytes: number) =>
  bytes < mebibyte ? `${bytes} bytes` : `${Math.floor(bytes / mebibyte)} MiB`;
