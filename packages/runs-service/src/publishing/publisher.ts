import { rm } from 'node:fs/promises';
import { LeasedWork } from 'base/leased-work';
import type { PublishRunRequest, PullRequestAction } from 'runs-client/publication';
import type { Publication, PublicationChanges } from '../store/publication.ts';
import type { StoredRun } from '../store/runs.ts';
import { type PublisherDeps, trackPublication } from './branch-work.ts';
import { type PublishPlan, wantedMode } from './publish-plan.ts';
import { readChangesOfRun } from './read-changes-of-run.ts';
import { branchOf } from './texts/publish-texts.ts';

import { workOnPublication } from './work-on-publication.ts';

const leaseMs = 10_000;
const atOnce = 4;

/** Publishes the changes of runs, each conversation's to one branch, and follows its pull request. */
export function createPublisher(deps: PublisherDeps) {
  const work = new LeasedWork<Publication, PublicationChanges>({
    what: 'publication',
    leases: deps.publications,
    atOnce,
    leaseMs,
    logger: deps.logger,
    yieldToRequests: async () => undefined,
    task: (row) => {
      const tracked = trackPublication(deps.publications, row);
      return { run: (signal) => workOnPublication(deps, tracked, signal), changes: () => ({}) };
    },
  });
  return {
    /** Removes what an earlier process left. */
    async start(): Promise<void> {
      await rm(deps.machine.files.publishingDir, { recursive: true, force: true });
      work.start();
    },
    stop: () => work.stop(),

    /**
     * Asks for the run's changes to be published. Can be repeated.
     * @throws PublishProblem if there is nothing to publish, or the repository's server can't do that
     */
    async ask(run: StoredRun, plan: PublishPlan, request: PublishRunRequest): Promise<void> {
      await readChangesOfRun(deps.machine, run.id);
      const wanted = { ...request, mode: wantedMode(plan, request) };
      await deps.publications.ask({ run, wanted, branch: branchOf(plan.config, run) });
      work.wake();
    },

    /** Asks for something to be done with the pull request. @returns false while something else is done with it */
    async askAction(
      { id, pullRequest, tip }: Publication,
      action: PullRequestAction,
    ): Promise<boolean> {
      const head = pullRequest?.head ?? tip ?? '';
      const stored = await deps.publications.askAction(id, { action, head, askedAt: Date.now() });
      work.wake();
      return stored;
    },
  };
}
export type Publisher = ReturnType<typeof createPublisher>;
