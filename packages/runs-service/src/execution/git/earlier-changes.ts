import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';

import type { RunContext, StepDeps } from '../run-context.ts';
import type { Checkout } from './checkout.ts';
import { GitError, runGit } from './git.ts';

/**
 * Applies the changes of the conversation's previous run to a fresh checkout. Returns a line for the timeline, or
 * undefined if there are no earlier changes. Does nothing with several repositories, because their patches are in one
 * file.
 */
export async function applyEarlierChanges(
  { store, machine: { files, path } }: Pick<StepDeps, 'store' | 'machine'>,
  { run, signal, toolSandbox }: RunContext,
  checkouts: readonly Checkout[],
): Promise<string | undefined> {
  const [checkout] = checkouts;
  const earlier = await store.latestOfConversation(run, signal);
  if (!earlier || !checkout || checkouts.length > 1) return undefined;
  if (earlier.environment_id !== run.environment_id) return undefined;
  const name = `run ${earlier.id.slice(0, 8)}`;
  if (existsSync(files.incompletePatchFile(earlier.id)))
    return `Started without the changes of ${name}, because they weren't saved completely`;
  const patch = files.patchFile(earlier.id);
  const found = await stat(patch).catch(() => undefined);
  if (!found || found.size === 0) return undefined;
  try {
    await runGit(['apply', '--whitespace=nowarn', '-'], {
      run: toolSandbox.run,
      cwd: checkout.dir,
      input: createReadStream(patch),
      path,
      signal,
    });
    return `Started with the changes of ${name}`;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return `Couldn't apply the changes of ${name}: ${error.message}`;
  }
}
