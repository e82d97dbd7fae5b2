import { rm } from 'node:fs/promises';
import { type DueAt, LeasedWork, LeaseLost } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import type { PublishRunRequest, PullRequestAction } from 'runs-client/publication';
import { GitError } from '../execution/git/git.ts';
import type { Publication, PublicationChanges } from '../store/publication.ts';
import type { StoredRun } from '../store/runs.ts';
import {
  type PublisherDeps,
  planForRun,
  type TrackedPublication,
  trackPublication,
} from './branch-work.ts';
import { gitProblem } from './git/push-branch.ts';
import { publishChanges } from './publish-changes.ts';
import { type PublishPlan, wantedMode } from './publish-plan.ts';
import { PublishProblem } from './publish-problem.ts';
import { actOnPullRequest } from './pull-requests/act-on-pull-request.ts';
import {
  afterFollowProblem,
  followPullRequest,
  nextPollAt,
} from './pull-requests/follow-pull-request.ts';
import { doneNote, progressOf } from './pull-requests/pull-request-actions.ts';
import { readChangesOfRun } from './read-changes-of-run.ts';
import { branchOf } from './texts/publish-texts.ts';

const leaseMs = 10_000;
const atOnce = 4;

/**
 * Creates the publisher. It publishes the changes of runs, with one branch for each conversation, and follows the pull
 * requests.
 */
export function createPublisher(deps: PublisherDeps) {
  const work = new LeasedWork<Publication, PublicationChanges>({
    what: 'publication',
    leases: deps.publications,
    atOnce,
    leaseMs,
    logger: deps.logger,
    task: (row) => {
      const tracked = trackPublication(deps.publications, row);
      return { run: (signal) => workOnPublication(deps, tracked, signal), changes: () => ({}) };
    },
  });
  return {
    /** Starts publishing, after deleting the repositories that an earlier process left. */
    async start(): Promise<void> {
      await rm(deps.machine.files.publishingDir, { recursive: true, force: true });
      work.start();
    },
    stop: () => work.stop(),

    /**
     * Requests publishing of the run's changes. Can be repeated.
     * @throws PublishProblem if there is nothing to publish, or if the repository's server has no pull requests
     */
    async ask(run: StoredRun, plan: PublishPlan, request: PublishRunRequest): Promise<void> {
      await readChangesOfRun(deps.machine, run.id);
      const wanted = { ...request, mode: wantedMode(plan, request) };
      await deps.publications.ask({ run, wanted, branch: branchOf(plan.config, run) });
      work.wake();
    },

    /** Requests an action on the pull request. Returns false while another action is in progress. */
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

/** Time after which a temporary problem is reported as a failure, in ms. */
const giveUpAfterMs = { publish: 60 * 60_000, act: 10 * 60_000 };

/**
 * Does the next step for a publication: publishing, then a requested action on the pull request, then a poll. Returns
 * the time of the step after it.
 */
export async function workOnPublication(
  deps: PublisherDeps,
  tracked: TrackedPublication,
  signal: AbortSignal,
): Promise<DueAt> {
  const { asked, done, action } = tracked.publication;
  const piece = done < asked ? publish : action ? act : follow;
  try {
    await piece.run(deps, tracked, signal);
    return nextPollAt(tracked.publication, Date.now());
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (signal.aborted) return Date.now();
    const problem = problemOf(deps, error);
    const { runId } = tracked.publication;
    deps.logger.warn({ runId, reason: problem.message }, piece.failed);
    return piece.afterProblem(tracked, problem);
  }
}

type Piece = {
  run(deps: PublisherDeps, tracked: TrackedPublication, signal: AbortSignal): Promise<void>;
  /** Message to log after a failure. */
  failed: string;
  afterProblem(tracked: TrackedPublication, problem: PublishProblem): Promise<DueAt>;
};

const publish: Piece = {
  failed: 'changes not published',
  async run(deps, tracked, signal) {
    const { asked, runId } = tracked.publication;
    const note = await publishChanges(deps, tracked, signal);
    const published = { publishedAt: Date.now(), problem: null };
    await tracked.announce({ ...published, done: asked, failures: 0 }, note);
    deps.logger.info({ runId }, 'changes published');
  },
  async afterProblem(tracked, { message, isTemporary, retryAfterMs }) {
    const { asked, askedAt, done, failures } = tracked.publication;
    if (isTemporary && Date.now() - askedAt < giveUpAfterMs.publish) {
      // Set `done` to its old value. The database may have stored the publication, although this process got an
      // error.
      await tracked.record({ done, problem: message, failures: failures + 1 });
      return Date.now() + retryDelayMs(failures + 1, retryAfterMs);
    }
    const note = `Couldn't publish the changes: ${message}`;
    await tracked.announce({ done: asked, problem: message, failures: 0 }, note);
    return nextPollAt(tracked.publication, Date.now());
  },
};

const act: Piece = {
  failed: 'pull request not changed',
  async run(deps, tracked, signal) {
    const { pullRequest, action, runId } = tracked.publication;
    if (!pullRequest || !action) return;
    const plan = await planForRun(deps, runId);
    const host = deps.codeHosts(plan);
    const after = await actOnPullRequest(
      { deps, tracked, signal, plan, host },
      pullRequest,
      action,
    );
    const followed = { seen: after.seen, changedAt: Date.now() };
    await tracked.announce(
      { pullRequest: after.pullRequest, followed, action: null, remark: null, failures: 0 },
      doneNote(action.action, pullRequest),
    );
  },
  async afterProblem(tracked, { message, isTemporary, retryAfterMs }) {
    const { action, failures } = tracked.publication;
    if (!action) return null;
    if (isTemporary && Date.now() - action.askedAt < giveUpAfterMs.act) {
      await tracked.record({ failures: failures + 1 });
      return Date.now() + retryDelayMs(failures + 1, retryAfterMs);
    }
    const note = `${progressOf[action.action]} failed: ${message}`;
    await tracked.announce({ action: null, remark: message, failures: 0 }, note);
    return nextPollAt(tracked.publication, Date.now());
  },
};

const follow: Piece = {
  failed: 'cannot follow a pull request',
  async run(deps, tracked, signal) {
    const plan = await planForRun(deps, tracked.publication.runId);
    await followPullRequest({ deps, tracked, signal, plan, host: deps.codeHosts(plan) });
  },
  afterProblem: afterFollowProblem,
};

function problemOf({ logger }: PublisherDeps, error: unknown): PublishProblem {
  if (error instanceof PublishProblem) return error;
  if (error instanceof GitError) return gitProblem(error);
  logger.error({ err: error }, 'publishing failed inside the service');
  return new PublishProblem("The runs service couldn't publish the changes. See its log.", {
    isTemporary: true,
    cause: error,
  });
}
