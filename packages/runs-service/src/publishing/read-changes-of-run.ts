import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { RunFiles } from '../execution/files/run-files.ts';
import { PublishProblem } from './publish-problem.ts';

export type RunChanges = { patchFile: string; start: string };

/**
 * Finds the saved patch of a run and the commit that it applies to.
 * @throws PublishProblem if there is nothing to publish
 */
export async function readChangesOfRun(
  { files, isShared }: { files: RunFiles; isShared: boolean },
  runId: string,
): Promise<RunChanges> {
  if (existsSync(files.incompletePatchFile(runId)))
    throw new PublishProblem("The run's changes weren't saved completely. Run this again.");
  const patchFile = files.patchFile(runId);
  const [start] = (await readBases(files.basesFile(runId))) ?? [];
  const size = (await stat(patchFile).catch(() => undefined))?.size;
  if (start === undefined || size === undefined)
    throw new PublishProblem(
      isShared
        ? "The run's changes aren't on this machine. Share the folder of transcripts between the services."
        : "The run's changes are no longer stored. Run this again.",
      { isTemporary: isShared },
    );
  if (size === 0)
    throw new PublishProblem('The run changed no files, so there is nothing to publish.');
  return { patchFile, start: start.base };
}

/** Reads the recorded commits that a run started from, or undefined without a record. */
async function readBases(
  file: string,
): Promise<readonly { folder: string; base: string }[] | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as { folder: string; base: string }[]);
}
