import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { PublishResult } from '../execution/run-executor.ts';
import { persist } from '../queue/persist.ts';
import type { Publications } from '../store/publications.ts';
import type { Runs, StoredRun } from '../store/runs.ts';
import { isAutomatic, type PublishPlan, planOf } from './publish-plan.ts';
import { PublishProblem } from './publish-problem.ts';
import type { Publisher } from './publisher.ts';

type PublishResultDeps = {
  runs: Pick<Runs, 'get'>;
  publications: Pick<Publications, 'ofRuns'>;
  publisher: Pick<Publisher, 'ask'>;
  /** Adds a line to the run's timeline. */
  note: (runId: string, text: string) => Promise<void>;
  /** This process's name in the store. */
  owner: string;
  logger: Logger;
};

/** Longest wait of a run for its pull request. After that it ends, and publishing continues. */
const waitMs = 2 * 60_000;
const lookMs = 300;

type Finished = Parameters<PublishResult>[0];

/**
 * Publishes a run's changes before it ends, so that its end has the pull request. The request is in the store, so the
 * changes are also published if the service is killed meanwhile. A failure doesn't fail the run: its publication says why.
 */
export function createPublishResult(deps: PublishResultDeps): PublishResult {
  const { runs, publisher, publications, note, owner, logger } = deps;

  /** Retries while the database is down, because the run has succeeded anyway. */
  const insist = <T>({ run, signal }: Finished, work: () => Promise<T>) =>
    persist(work, { signal, logger, runId: run.id });

  /** Returns why there is nothing to publish. */
  async function ask(run: StoredRun, plan: PublishPlan): Promise<string | undefined> {
    try {
      await publisher.ask(run, plan, {});
      return undefined;
    } catch (error) {
      if (!(error instanceof PublishProblem)) throw error;
      return error.message;
    }
  }

  async function untilDone(context: Finished): Promise<void> {
    const { run, signal } = context;
    const until = Date.now() + waitMs;
    while (Date.now() < until && !signal.aborted) {
      const found = (await insist(context, () => publications.ofRuns([run.id])))?.get(run.id);
      if (!found || found.done >= found.mine) return;
      await sleep(lookMs, signal);
    }
  }

  return async (context) => {
    const plan = planOf(context.environment);
    if (!plan || !isAutomatic(plan)) return;
    const run = await insist(context, () => runs.get(context.run.id));
    // A process that was frozen can have lost its run to another one, which starts it over.
    if (run?.lease_owner !== owner) return;
    // The answer is in the text of the pull request.
    await context.progress.close();
    const problem = await insist(context, () => ask(run, plan));
    if (problem === undefined) return untilDone(context);
    await insist(context, () => note(run.id, `Not published: ${problem}`));
  };
}
