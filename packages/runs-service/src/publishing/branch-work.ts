import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeBeginning } from 'base/leased-work';
import type { Logger } from 'base/logger';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { RunFiles } from '../execution/files/run-files.ts';
import { accessTo } from '../execution/git/git.ts';
import type { Publication, PublicationChanges } from '../store/publication.ts';
import type { Publications } from '../store/publications.ts';
import type { Runs } from '../store/runs.ts';
import { createPublishGit, type PublishGit } from './git/publish-git.ts';
import { pushBranch } from './git/push-branch.ts';
import type { CodeHost } from './hosts/code-host.ts';
import type { CodeHosts } from './hosts/create-code-host.ts';
import { type PublishPlan, planOfRun } from './publish-plan.ts';
import { PublishProblem } from './publish-problem.ts';

export type PublisherDeps = {
  runs: Pick<Runs, 'get'>;
  publications: Publications;
  environments: () => readonly ServiceEnvironment[];
  /** Reads the agent's last message, for the text of a pull request. */
  answerOf: (runId: string) => Promise<string>;
  codeHosts: CodeHosts;
  machine: {
    files: RunFiles;
    path: string;
    /** Returns the folder with the objects of a repository's mirror, which don't have to be downloaded. */
    objectsDir(url: string): string;
    /** True if other services share the store. In that case, another service can have a run's files. */
    isShared: boolean;
  };
  logger: Logger;
};

/** Dependencies and state of one attempt on a conversation's branch. */
export type BranchWork = {
  deps: PublisherDeps;
  tracked: TrackedPublication;
  signal: AbortSignal;
  plan: PublishPlan;
  host: CodeHost;
};

/**
 * Returns the publishing plan of a run.
 * @throws PublishProblem if the environment of the run doesn't publish anymore
 */
export async function planForRun(deps: PublisherDeps, runId: string): Promise<PublishPlan> {
  const run = await deps.runs.get(runId);
  const plan = run && planOfRun(deps.environments, run);
  if (plan) return plan;
  throw new PublishProblem(
    'The environment of this run doesn\'t publish. Set "publish" in the environments file.',
  );
}

/**
 * Does work in a new repository, and deletes it at the end. If the process is killed, the next start deletes it.
 * @param commit any commit of the remote repository, whose length shows the object format
 */
export async function inScratchRepository<T>(
  { deps, plan, signal, host }: BranchWork,
  commit: string,
  work: (git: PublishGit, url: string) => Promise<T>,
): Promise<T> {
  const { files, path, objectsDir } = deps.machine;
  await mkdir(files.publishingDir, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(files.publishingDir, 'repository-'));
  try {
    const access = accessTo(plan.repository.url, await host.login(signal));
    const objects = objectsDir(plan.repository.url);
    const git = createPublishGit({ dir: folder, objectsDir: objects, access, path, signal });
    const format = commit.length > 40 ? 'sha256' : 'sha1';
    await git(['init', '--quiet', '--bare', `--object-format=${format}`]);
    return await work(git, access.url);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Makes sure that only our commits are overwritten.
 * @throws PublishProblem if the branch's commit isn't ours
 */
export function assertOurs({ tracked, plan }: BranchWork, found: string | undefined): void {
  const { branch, tip, tried } = tracked.publication;
  if (found === undefined || found === tip || tried.includes(found)) return;
  throw new PublishProblem(
    tip === null
      ? `The branch ${branch} already exists in ${plan.project}. Delete it, or change "branch" under "publish".`
      : `Someone else pushed to the branch ${branch}, so it was left as it is. Merge or remove their commits, or start a new conversation.`,
  );
}

const maxTried = 20;

/** Pushes a commit. Stores its ID before the push, so that a repeated attempt recognizes it as ours. */
export async function pushCommit(
  { tracked }: BranchWork,
  git: PublishGit,
  { url, commit, tip }: { url: string; commit: string; tip: string | undefined },
): Promise<void> {
  const { branch, tried } = tracked.publication;
  if (commit !== tip) {
    await tracked.begin({ tried: [...tried, commit].slice(-maxTried) });
    await pushBranch(git, { url, branch, commit, expected: tip });
  }
  await tracked.record({ tip: commit, tried: [] });
}

/** A leased publication. Changes are stored before `publication` shows them. */
export type TrackedPublication = {
  readonly publication: Publication;
  /**
   * Stores changes that people don't see.
   * @throws LeaseLost
   */
  record(changes: PublicationChanges): Promise<void>;
  /**
   * Stores changes that people see, and marks the publication's runs as changed.
   * @throws LeaseLost
   */
  announce(changes: PublicationChanges, note?: string): Promise<void>;
  /**
   * Stores that a step which can't be undone begins. Call it right before the step.
   * @throws LeaseLost
   */
  begin(changes: PublicationChanges): Promise<void>;
};

export function trackPublication(
  publications: Pick<Publications, 'record' | 'announce' | 'check'>,
  leased: Publication,
): TrackedPublication {
  async function record(changes: PublicationChanges): Promise<void> {
    await publications.record(leased, changes);
    tracked.publication = { ...tracked.publication, ...changes };
  }
  const tracked = {
    publication: leased,
    record,
    async announce(changes: PublicationChanges, note?: string): Promise<void> {
      await publications.announce(leased, changes, note);
      tracked.publication = { ...tracked.publication, ...changes };
    },
    begin: (changes: PublicationChanges): Promise<void> =>
      writeBeginning(
        () => record(changes),
        () => publications.check(leased),
      ),
  };
  return tracked;
}
