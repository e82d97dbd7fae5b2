import { sleep } from '../../lib/sleep.ts';
import type { ServicePublications } from '../../store/service/service-publications.ts';
import type { PublishResult } from '../execution/run-executor.ts';
import { isAutomatic, planOf } from './publish-plan.ts';
import { PublishProblem } from './publish-problem.ts';
import type { Publisher } from './publisher.ts';
import type { PublisherParts } from './publisher-parts.ts';

export type PublishResultOptions = Pick<PublisherParts, 'runs'> & {
  /** Adds a line to the run's timeline. */
  note: (runId: string, text: string) => Promise<void>;
  publisher: Publisher;
  publications: Pick<ServicePublications, 'ofRuns'>;
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
  const { publisher, publications, note } = options;

  async function untilDone({ run, signal }: Finished): Promise<void> {
    const until = Date.now() + waitMs;
    while (Date.now() < until && !signal.aborted) {
      const found = (await publications.ofRuns([run.id])).get(run.id);
      if (!found || found.done >= found.mine) return;
      await sleep(lookMs, signal);
    }
  }

  return async (context) => {
    const plan = planOf(context.environment);
    if (!plan || !isAutomatic(plan)) return;
    const run = await options.runs.get(context.run.id);
    if (!run) return;
    try {
      // The answer is in the text of the pull request.
      await context.progress.close();
      await publisher.ask(run, plan, {});
    } catch (error) {
      if (!(error instanceof PublishProblem)) throw error;
      return note(run.id, `Not published: ${error.message}`);
    }
    await untilDone(context);
  };
}
