import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceRun } from '../../store/service/service-runs.ts';
import { findEnvironment } from '../environments/environments.ts';
import { buildCommit, describeMovedBase } from './git/build-commit.ts';
import { createPublishGit, type PublishGit } from './git/publish-git.ts';
import { pushBranch } from './git/push-branch.ts';
import { accessTo } from './git/remote-access.ts';
import { fetchBranches, listBranches, type RemoteBranches } from './git/remote-branches.ts';
import type { CodeHost } from './hosts/code-host.ts';
import { createCodeHost } from './hosts/create-code-host.ts';
import { openPullRequest } from './open-pull-request.ts';
import { type PublishPlan, planOf, wantedMode } from './publish-plan.ts';
import { PublishProblem } from './publish-problem.ts';
import { commitMessage, pullRequestTexts } from './publish-texts.ts';
import type { PublisherParts } from './publisher-parts.ts';
import { type RunChanges, readChangesOfRun } from './read-changes-of-run.ts';
import type { TrackedPublication } from './track-publication.ts';

const usualAuthor = { name: 'slash-agent', email: 'slash-agent@localhost' };

/** Everything that one attempt works with. */
type Work = {
  parts: PublisherParts;
  tracked: TrackedPublication;
  signal: AbortSignal;
  run: ServiceRun;
  plan: PublishPlan;
  changes: RunChanges;
  host: CodeHost;
  mode: 'pull_request' | 'branch';
};

/**
 * Takes the changes of a run to one branch, and that to one pull request. Before each step that can't be undone the store
 * says that it begins, and an interrupted step is looked for first, so repeating all of this adds nothing.
 * @throws PublishProblem, GitError
 */
export async function publishChanges(
  parts: PublisherParts,
  tracked: TrackedPublication,
  signal: AbortSignal,
): Promise<string> {
  const { runId, wanted } = tracked.publication;
  const run = await parts.runs.get(runId);
  const environment = run && findEnvironment(parts.environments(), run.environment_id);
  const plan = environment && planOf(environment);
  if (!run || !plan)
    throw new PublishProblem(
      'The environment of this run doesn\'t publish. Set "publish" in the environments file.',
    );
  const changes = await readChangesOfRun(parts.files, runId, parts);
  const host = createCodeHost(plan);
  const mode = wantedMode(plan, wanted);
  const work = { parts, tracked, signal, run, plan, changes, host, mode };
  const { base, remark } = await inScratchRepository(work, (git, url) => push(work, git, url));
  const opened = mode === 'branch' ? undefined : await openPullRequest({ ...work, base });
  await tracked.record({ remark: [opened, remark].filter(Boolean).join(' ') || null });
  const { pullRequest, branch } = tracked.publication;
  return mode === 'pull_request' && pullRequest
    ? `Published as pull request #${pullRequest.number}`
    : `Pushed to the branch ${branch}`;
}

/** Only for this attempt. A killed process leaves its folder, which the next start removes. */
async function inScratchRepository<T>(
  { parts, plan, signal, host, changes }: Work,
  work: (git: PublishGit, url: string) => Promise<T>,
): Promise<T> {
  const { files, path } = parts;
  await mkdir(files.publishingDir, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(files.publishingDir, 'repository-'));
  try {
    const access = accessTo(plan.repository.url, await host.login(signal));
    const objectsDir = parts.objectsDir(plan.repository.url);
    const git = createPublishGit({ dir: folder, objectsDir, access, path, signal });
    const format = changes.start.length > 40 ? 'sha256' : 'sha1';
    await git(['init', '--quiet', '--bare', `--object-format=${format}`]);
    return await work(git, access.url);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function push(work: Work, git: PublishGit, url: string) {
  const { tracked, plan, run, changes, parts } = work;
  const { branch, tried, wanted } = tracked.publication;
  const chosen = wanted.base ?? plan.config.base;
  const named = [chosen, plan.repository.branch].filter((name) => name !== undefined);
  await checkBranchNames(git, [branch, ...named]);
  const remote = await listBranches(git, url, [branch, ...named]);
  const base = baseOf(remote, chosen, plan.repository.branch);
  const tip = remote.tips.get(branch);
  assertOurs(work, tip);
  await fetchBranches(git, url, [base, ...(tip === undefined ? [] : [branch])]);
  const { title } = pullRequestTexts(plan.config, run, await parts.answerOf(run.id), wanted);
  const commit = await buildCommit(git, {
    ...changes,
    ...{ tip, message: commitMessage(title, run), author: plan.config.author ?? usualAuthor },
    atSeconds: Math.floor((run.started_at ?? run.created_at) / 1000),
    signingKeyFile: plan.config.signing_key_file,
  });
  const known = { tip: commit, tried: [], base };
  if (commit !== tip) {
    await tracked.begin({ tried: [...tried, commit].slice(-maxTried) });
    await pushBranch(git, { url, branch, commit, expected: tip });
  }
  await tracked.record(known);
  const baseTip = (await git(['rev-parse', `refs/remotes/origin/${base}`])).trim();
  const moved = { base, baseTip, start: changes.start, commit };
  return { base, remark: await describeMovedBase(git, moved) };
}

const maxTried = 20;

/** A name could be read as an option or a range. */
async function checkBranchNames(git: PublishGit, names: readonly string[]): Promise<void> {
  for (const name of names) {
    try {
      await git(['check-ref-format', `refs/heads/${name}`]);
    } catch (cause) {
      throw new PublishProblem(`"${name.slice(0, 100)}" isn't a possible name of a branch.`, {
        cause,
      });
    }
  }
}

/** The chosen branch, or the one that runs start from unless that is a tag, or the server's default. */
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

/** Nobody's commits are ever overwritten. */
function assertOurs({ tracked, plan }: Work, found: string | undefined): void {
  const { branch, tip, tried } = tracked.publication;
  if (found === undefined || found === tip || tried.includes(found)) return;
  throw new PublishProblem(
    tip === null
      ? `The branch ${branch} already exists in ${plan.project}. Delete it, or change "branch" under "publish".`
      : `Someone else pushed to the branch ${branch}, so it was left as it is. Merge or remove their commits, or start a new conversation.`,
  );
}
