import { rm } from 'node:fs/promises';
import type { PublishRunRequest } from 'runs-client/publication';
import { type DueAt, LeasedWork, LeaseLost } from '../../lib/leased-work.ts';
import { retryDelayMs } from '../../lib/retry-delay.ts';
import type { Publication, PublicationChanges } from '../../store/service/service-publications.ts';
import type { ServiceRun } from '../../store/service/service-runs.ts';
import { GitError } from '../execution/git/git.ts';
import { gitProblem } from './git/push-branch.ts';
import { publishChanges } from './publish-changes.ts';
import { type PublishPlan, wantedMode } from './publish-plan.ts';
import { PublishProblem } from './publish-problem.ts';
import { branchOf } from './publish-texts.ts';
import type { PublisherParts } from './publisher-parts.ts';
import { type TrackedPublication, trackPublication } from './track-publication.ts';

const leaseMs = 10_000;
const atOnce = 4;
/** When trouble that may pass counts as a failure. */
const giveUpAfterMs = 60 * 60_000;

/** Publishes the changes of runs, each conversation's to one branch. Any number of services may share a store. */
export function createPublisher(parts: PublisherParts) {
  const work = new LeasedWork<Publication, PublicationChanges>({
    ...{ what: 'publication', leases: parts.publications, atOnce, leaseMs, logger: parts.logger },
    yieldToRequests: async () => undefined,
    task: (row) => {
      const tracked = trackPublication(parts.publications, row);
      return { run: (signal) => workOn(parts, tracked, signal), changes: {} };
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
     * @throws PublishProblem if the repository's server can't do that
     */
    async ask(run: ServiceRun, plan: PublishPlan, request: PublishRunRequest): Promise<void> {
      const wanted = { ...request, mode: wantedMode(plan, request) };
      await parts.publications.ask({ run, wanted, branch: branchOf(plan.config, run) });
      work.wake();
    },
  };
}
export type Publisher = ReturnType<typeof createPublisher>;

async function workOn(
  parts: PublisherParts,
  tracked: TrackedPublication,
  signal: AbortSignal,
): Promise<DueAt> {
  const { asked, done, runId } = tracked.publication;
  if (done >= asked) return null;
  try {
    const note = await publishChanges(parts, tracked, signal);
    const now = Date.now();
    await tracked.record({ done: asked, problem: null, publishedAt: now, failures: 0 });
    await parts.note(runId, note);
    parts.logger.info({ runId }, 'changes published');
    return null;
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (signal.aborted) return Date.now();
    return afterProblem(parts, tracked, problemOf(parts, error));
  }
}

function problemOf({ logger }: PublisherParts, error: unknown): PublishProblem {
  if (error instanceof PublishProblem) return error;
  if (error instanceof GitError) return gitProblem(error);
  logger.error({ err: error }, 'publishing failed inside the service');
  return new PublishProblem("The runs service couldn't publish the changes. See its log.", {
    mayPass: true,
    cause: error,
  });
}

async function afterProblem(
  { note, logger }: PublisherParts,
  tracked: TrackedPublication,
  problem: PublishProblem,
): Promise<DueAt> {
  const { asked, askedAt, runId, failures } = tracked.publication;
  const { message, mayPass, retryAfterMs } = problem;
  logger.warn({ runId, reason: message }, 'changes not published');
  if (mayPass && Date.now() - askedAt < giveUpAfterMs) {
    await tracked.record({ problem: message, failures: failures + 1 });
    return Date.now() + retryDelayMs(failures + 1, retryAfterMs);
  }
  await tracked.record({ done: asked, problem: message, failures: 0 });
  await note(runId, `Couldn't publish the changes: ${message}`);
  return null;
}
