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
  /** Name of this process in the store. */
  owner: string;
  logger: Logger;
};

/** Max time that a run waits for its pull request, in ms. After that it ends, and publishing continues. */
const waitMs = 2 * 60_000;
const pollMs = 300;

type Finished = Parameters<PublishResult>[0];

/**
 * Creates a function that publishes a run's changes before the run ends, so that its end shows the pull request. The
 * request is stored, so a restart doesn't lose it. A failure doesn't fail the run, but its publication shows the
 * reason.
 */
export function createPublishResult(deps: PublishResultDeps): PublishResult {
  const { runs, publisher, publications, note, owner, logger } = deps;

  /** Retries `work` while the database is down. The run has already succeeded, so it can wait. */
  const withRetry = <T>({ run, signal }: Finished, work: () => Promise<T>) =>
    persist(work, { signal, logger, runId: run.id });

  /** Requests publishing of the run's changes. Returns the reason if they can't be published. */
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
      const found = (await withRetry(context, () => publications.ofRuns([run.id])))?.get(run.id);
      if (!found || found.done >= found.mine) return;
      await sleep(pollMs, signal);
    }
  }

  return async (context) => {
    const plan = planOf(context.environment);
    if (!plan || !isAutomatic(plan)) return;
    const run = await withRetry(context, () => runs.get(context.run.id));
    // Stop if another process has taken over the run to restart it. A process that was frozen can lose its runs.
    if (run?.lease_owner !== owner) return;
    // Store all progress first. It includes the agent's answer, which the pull request's text quotes.
    await context.progress.close();
    const problem = await withRetry(context, () => ask(run, plan));
    if (problem === undefined) return untilDone(context);
    await withRetry(context, () => note(run.id, `Not published: ${problem}`));
  };
}
