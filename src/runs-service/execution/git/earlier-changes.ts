import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ServiceRun, ServiceRuns } from '../../../store/service/service-runs.ts';
import type { RunFiles } from '../run-files.ts';
import type { Checkout } from './checkout.ts';
import { GitError, runGit } from './git.ts';

export type EarlierChangesOptions = {
  runs: Pick<ServiceRuns, 'latestOfConversation'>;
  files: RunFiles;
  path: string;
};

/**
 * A run that continues a conversation begins with what the run before it had changed, on a fresh checkout. Gives a line
 * for the timeline, or undefined when there is nothing to go on from. Several repositories are not gone on from: their
 * patches are one file.
 */
export async function applyEarlierChanges(
  { runs, files, path }: EarlierChangesOptions,
  run: ServiceRun,
  checkouts: readonly Checkout[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const [checkout] = checkouts;
  const earlier = await runs.latestOfConversation(run);
  if (!earlier || !checkout || checkouts.length > 1) return undefined;
  if (earlier.environment_id !== run.environment_id) return undefined;
  if (existsSync(files.incompletePatchFile(earlier.id)))
    return `The changes of the run ${earlier.id.slice(0, 8)} were not kept completely, so this run starts without them`;
  const patch = files.patchFile(earlier.id);
  const found = await stat(patch).catch(() => undefined);
  if (!found || found.size === 0) return undefined;
  try {
    await runGit(['apply', '--whitespace=nowarn', patch], { cwd: checkout.dir, path, signal });
    return `Went on from the changes of the run ${earlier.id.slice(0, 8)}`;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return `The changes of the run ${earlier.id.slice(0, 8)} no longer fit: ${error.message}`;
  }
}
