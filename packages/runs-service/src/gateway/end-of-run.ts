import { endUpdate, failed, overBudget, type RunEnd } from '../execution/run-end.ts';
import type { ModelCalls } from '../store/model-calls.ts';
import type { RunUpdate } from '../store/run-changes.ts';
import type { Runs, StoredRun } from '../store/runs.ts';
import { problemOfCalls } from './problem-of-calls.ts';
import type { RunUsages } from './run-usage.ts';

/** Creates the function that returns what to save at the end of a run, with its usage and the reason of its failure. */
export function createEndOfRun({
  runs,
  calls,
  usages,
}: {
  runs: Pick<Runs, 'get'>;
  calls: Pick<ModelCalls, 'ofRun'>;
  usages: Pick<RunUsages, 'atEnd'>;
}) {
  async function explain(run: StoredRun, end: RunEnd): Promise<RunEnd> {
    if (end.state === 'CANCELLED') return end;
    const now = await runs.get(run.id);
    // Read the row, because the process that asked the person can be another one.
    if (now && now.spend_stopped !== null) return overBudget(now.spend_stopped);
    if (end.state !== 'FAILED') return end;
    const problem = problemOfCalls(await calls.ofRun(run.id));
    if (problem === undefined) return end;
    return failed(`${end.status.message}\n${problem}`, end.status);
  }

  return async (run: StoredRun, end: RunEnd): Promise<RunUpdate> => ({
    ...endUpdate(await explain(run, end)),
    ...(await usages.atEnd(run)),
  });
}
