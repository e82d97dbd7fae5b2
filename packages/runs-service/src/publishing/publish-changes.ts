import type { PullRequest } from '../store/publication.ts';
import type { StoredRun } from '../store/runs.ts';
import {
  assertOurs,
  type BranchWork,
  inScratchRepository,
  type PublisherDeps,
  planForRun,
  pushCommit,
  type TrackedPublication,
} from './branch-work.ts';
import { buildCommit, describeMovedBase, signatureOf } from './git/build-commit.ts';
import type { PublishGit } from './git/publish-git.ts';
import { fetchBranches, listBranches, type RemoteBranches } from './git/push-branch.ts';
import { wantedMode } from './publish-plan.ts';
import { PublishProblem } from './publish-problem.ts';
import { type RunChanges, readChangesOfRun } from './read-changes-of-run.ts';
import { commitMessage, pullRequestTexts } from './texts/publish-texts.ts';

type Work = BranchWork & { run: StoredRun; changes: RunChanges };

/**
 * Publishes a run's changes to one branch and one pull request. Can be repeated, because each step that can't be undone
 * is recorded before it begins. A repeated call checks whether the step was completed.
 * @throws PublishProblem, GitError
 */
export async function publishChanges(
  deps: PublisherDeps,
  tracked: TrackedPublication,
  signal: AbortSignal,
): Promise<string> {
  const { runId, wanted } = tracked.publication;
  const plan = await planForRun(deps, runId);
  const run = await deps.runs.get(runId);
  if (!run) throw new PublishProblem("The run isn't stored anymore.");
  const changes = await readChangesOfRun(deps.machine, runId);
  const host = deps.codeHosts(plan);
  const mode = wantedMode(plan, wanted);
  const work = { deps, tracked, signal, run, plan, changes, host };
  const { base, remark } = await inScratchRepository(work, changes.start, (git, url) =>
    push(work, git, url),
  );
  const opened = mode === 'branch' ? undefined : await openPullRequest(work, base);
  await tracked.record({ remark: [opened, remark].filter(Boolean).join(' ') || null });
  const { pullRequest, branch } = tracked.publication;
  return mode === 'pull_request' && pullRequest
    ? `Published as pull request #${pullRequest.number}`
    : `Pushed to the branch ${branch}`;
}

async function push(work: Work, git: PublishGit, url: string) {
  const { tracked, plan, run, changes, deps } = work;
  const { branch, wanted } = tracked.publication;
  const chosen = wanted.base ?? plan.config.base;
  const named = [chosen, plan.repository.branch].filter((name) => name !== undefined);
  await checkBranchNames(git, [branch, ...named]);
  const remote = await listBranches(git, url, [branch, ...named]);
  const base = baseOf(remote, chosen, plan.repository.branch);
  const tip = remote.tips.get(branch);
  assertOurs(work, tip);
  await fetchBranches(git, url, [base, ...(tip === undefined ? [] : [branch])]);
  const baseTip = (await git(['rev-parse', `refs/remotes/origin/${base}`])).trim();
  const { title } = pullRequestTexts(plan.config, run, await deps.answerOf(run.id), wanted);
  const commit = await buildCommit(git, {
    ...changes,
    tip,
    baseTip,
    ...signatureOf(plan.config),
    message: commitMessage(title, run),
    atSeconds: Math.floor((run.started_at ?? run.created_at) / 1000),
  });
  await tracked.record({ base });
  await pushCommit(work, git, { url, commit, tip });
  const moved = { base, baseTip, start: changes.start, commit };
  return { base, remark: await describeMovedBase(git, moved) };
}

/** Rejects invalid branch names, because git could read them as an option or a range. */
async function checkBranchNames(git: PublishGit, names: readonly string[]): Promise<void> {
  for (const name of names) {
    try {
      await git(['check-ref-format', `refs/heads/${name}`]);
    } catch (cause) {
      throw new PublishProblem(`"${name.slice(0, 100)}" isn't a valid branch name.`, {
        cause,
      });
    }
  }
}

/** Returns the base branch: the chosen one, else the branch that the run started from, else the server's default. */
function baseOf(
  { tips, defaultBranch }: RemoteBranches,
  chosen: string | undefined,
  checkedOut: string | undefined,
): string {
  if (chosen !== undefined && !tips.has(chosen))
    throw new PublishProblem(`The repository has no branch ${chosen}. Choose another base.`);
  const usual = checkedOut !== undefined && tips.has(checkedOut) ? checkedOut : defaultBranch;
  const base = chosen ?? usual;
  if (base !== undefined) return base;
  throw new PublishProblem('The repository has no default branch. Set "base" under "publish".');
}

/**
 * Opens a pull request for the pushed branch, or finds the existing one. Returns a remark for people if some reviewers
 * or labels couldn't be added.
 */
async function openPullRequest(work: Work, base: string): Promise<string | undefined> {
  const { tracked, host, plan, signal } = work;
  const { branch, wanted } = tracked.publication;
  const found = await host.find(branch, signal);
  if (found && found.state !== 'open' && found.state !== 'draft') {
    await tracked.record({ pullRequest: found });
    throw new PublishProblem(
      `Pull request #${found.number} of this conversation was ${found.state}. The branch ${branch} has the new changes. Start a new conversation to open another one.`,
    );
  }
  const pullRequest = found ?? (await open(work, base));
  await tracked.record({ pullRequest });
  const { reviewers = plan.config.reviewers ?? [] } = wanted;
  const labels = plan.config.labels ?? [];
  return host.decorate(pullRequest.number, { reviewers, labels }, signal);
}

async function open(
  { deps, tracked, host, plan, run, signal }: Work,
  base: string,
): Promise<PullRequest> {
  const { branch, wanted } = tracked.publication;
  const texts = pullRequestTexts(plan.config, run, await deps.answerOf(run.id), wanted);
  const draft = wanted.draft ?? plan.config.draft ?? false;
  await tracked.begin({ base });
  const opened = await host.open({ branch, base, draft, ...texts }, signal);
  if (opened !== 'exists') return opened;
  // Use the pull request that another process opened after the first search.
  const found = await host.find(branch, signal);
  if (found) return found;
  throw new PublishProblem(`The pull request of ${branch} exists, but isn't listed yet.`, {
    isTemporary: true,
  });
}
