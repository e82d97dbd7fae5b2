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
    /** Returns the objects folder of a repository's mirror. Git doesn't have to download the objects in it. */
    objectsDir(url: string): string;
    /** True if other services share the store. A run's files can then be on another service's machine. */
    isShared: boolean;
  };
  logger: Logger;
};

/** Dependencies and data of one attempt to change a conversation's branch. */
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
 * Runs `work` with a new, empty repository, and deletes the repository afterward. If the process is killed, its next
 * start deletes the repository.
 * @param commit any commit of the remote repository, because its length shows the object format
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
 * Throws if the branch's newest commit isn't from this service, so that only the service's own commits are overwritten.
 * @throws PublishProblem
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

/**
 * Pushes a commit to the conversation's branch. Stores the commit's ID before the push, so that a repeated attempt
 * recognizes it as the service's own.
 */
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
   * Stores that a step begins, before the step is taken. Call it right before a step that can't be undone.
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
