import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { PublishResult } from '../execution/run-executor.ts';
import { persist } from '../queue/persist.ts';
import type { Publications } from '../store/publications.ts';
import type { StoredRun } from '../store/runs.ts';
import type { PublisherParts } from './branch-work.ts';
import { isAutomatic, type PublishPlan, planOf } from './publish-plan.ts';
import { PublishProblem } from './publish-problem.ts';
import type { Publisher } from './publisher.ts';

type PublishResultOptions = Pick<PublisherParts, 'runs'> & {
  /** Adds a line to the run's timeline. */
  note: (runId: string, text: string) => Promise<void>;
  publisher: Publisher;
  publications: Pick<Publications, 'ofRuns'>;
  /** This process's name in the store. */
  owner: string;
  logger: Logger;
};

/** How long a run waits for its pull request. After that it ends, and the publication goes on. */
const waitMs = 2 * 60_000;
const lookMs = 300;

type Finished = Parameters<PublishResult>[0];

/**
 * Publishes what a run changed before it ends, so that its end has the pull request. What was asked for is in the store,
 * so it also happens if the service is killed now. A failure doesn't fail the run: its publication says why.
 */
export function createPublishResult(options: PublishResultOptions): PublishResult {
  const { publisher, publications, note, logger } = options;

  /** The run has succeeded, also if the database is away for a while. */
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
    const run = await insist(context, () => options.runs.get(context.run.id));
    // A process that was frozen can have lost its run to one that starts it over.
    if (run?.lease_owner !== options.owner) return;
    // The answer is in the text of the pull request.
    await context.progress.close();
    const problem = await insist(context, () => ask(run, plan));
    if (problem === undefined) return untilDone(context);
    await insist(context, () => note(run.id, `Not published: ${problem}`));
  };
}
