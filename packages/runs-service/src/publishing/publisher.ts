import { rm } from 'node:fs/promises';
import { LeasedWork } from 'base/leased-work';
import type { PublishRunRequest, PullRequestAction } from 'runs-client/publication';
import type { Publication, PublicationChanges } from '../store/publication.ts';
import type { ServiceRun } from '../store/runs/service-runs.ts';
import { type PublishPlan, wantedMode } from './publish-plan.ts';
import type { PublisherParts } from './publisher-parts.ts';
import { readChangesOfRun } from './read-changes-of-run.ts';
import { branchOf } from './texts/publish-texts.ts';
import { trackPublication } from './track-publication.ts';
import { workOnPublication } from './work-on-publication.ts';

const leaseMs = 10_000;
const atOnce = 4;

/** Publishes the changes of runs, each conversation's to one branch, and follows its pull request. */
export function createPublisher(parts: PublisherParts) {
  const work = new LeasedWork<Publication, PublicationChanges>({
    what: 'publication',
    leases: parts.publications,
    atOnce,
    leaseMs,
    logger: parts.logger,
    task: (row) => {
      const tracked = trackPublication(parts.publications, row);
      return { run: (signal) => workOnPublication(parts, tracked, signal), changes: () => ({}) };
    },
  });
  return {
    /** Removes what an earlier process left. */
    async start(): Promise<void> {
      await rm(parts.files.publishingDir, { recursive: true, force: true });
      work.start();
    },
    stop: () => work.stop(),

    /**
     * Asks for the run's changes to be published. Can be repeated.
     * @throws PublishProblem if there is nothing to publish, or the repository's server can't do that
     */
    async ask(run: ServiceRun, plan: PublishPlan, request: PublishRunRequest): Promise<void> {
      await readChangesOfRun(parts.files, run.id, parts);
      const wanted = { ...request, mode: wantedMode(plan, request) };
      await parts.publications.ask({ run, wanted, branch: branchOf(plan.config, run) });
      work.wake();
    },

    /** Asks for something to be done with the pull request. @returns false while something else is done with it */
    async askAction(
      { id, pullRequest, tip }: Publication,
      action: PullRequestAction,
    ): Promise<boolean> {
      const head = pullRequest?.head ?? tip ?? '';
      const stored = await parts.publications.askAction(id, { action, head, askedAt: Date.now() });
      work.wake();
      return stored;
    },
  };
}
export type Publisher = ReturnType<typeof createPublisher>;
