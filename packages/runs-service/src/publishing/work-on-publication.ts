import { type DueAt, LeaseLost } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import { GitError } from '../execution/git/git.ts';
import { type PublisherDeps, planForRun, type TrackedPublication } from './branch-work.ts';
import { gitProblem } from './git/push-branch.ts';
import { publishChanges } from './publish-changes.ts';
import { PublishProblem } from './publish-problem.ts';

import { actOnPullRequest } from './pull-requests/act-on-pull-request.ts';
import {
  afterFollowProblem,
  followPullRequest,
  nextLookAt,
} from './pull-requests/follow-pull-request.ts';
import { progressOf } from './pull-requests/pull-request-actions.ts';

/** Time after which a temporary problem counts as a failure, in ms. */
const giveUpAfterMs = { publish: 60 * 60_000, act: 10 * 60_000 };

/** Does one piece of work: publishing comes first, then a requested action on the pull request, then a poll. */
export async function workOnPublication(
  deps: PublisherDeps,
  tracked: TrackedPublication,
  signal: AbortSignal,
): Promise<DueAt> {
  const { asked, done, action } = tracked.publication;
  const piece = done < asked ? publish : action ? act : follow;
  try {
    await piece.run(deps, tracked, signal);
    return nextLookAt(tracked.publication, Date.now());
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
  /** Message for the log. */
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
  async afterProblem(tracked, { message, mayPass, retryAfterMs }) {
    const { asked, askedAt, done, failures } = tracked.publication;
    if (mayPass && Date.now() - askedAt < giveUpAfterMs.publish) {
      // Set `done` again, because the database may have stored the publication although its answer was lost.
      await tracked.record({ done, problem: message, failures: failures + 1 });
      return Date.now() + retryDelayMs(failures + 1, retryAfterMs);
    }
    const note = `Couldn't publish the changes: ${message}`;
    await tracked.announce({ done: asked, problem: message, failures: 0 }, note);
    return nextLookAt(tracked.publication, Date.now());
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
      `${progressOf[action.action]}: done`,
    );
  },
  async afterProblem(tracked, { message, mayPass, retryAfterMs }) {
    const { action, failures } = tracked.publication;
    if (!action) return null;
    if (mayPass && Date.now() - action.askedAt < giveUpAfterMs.act) {
      await tracked.record({ failures: failures + 1 });
      return Date.now() + retryDelayMs(failures + 1, retryAfterMs);
    }
    const note = `${progressOf[action.action]} failed: ${message}`;
    await tracked.announce({ action: null, remark: message, failures: 0 }, note);
    return nextLookAt(tracked.publication, Date.now());
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
    mayPass: true,
    cause: error,
  });
}
