import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeBeginning } from 'base/leased-work';
import type { Logger } from 'base/logger';
import type { ServiceEnvironment } from '../environments/environments.ts';
import type { RunFiles } from '../execution/files/run-files.ts';
import { accessTo } from '../execution/git/remote-access.ts';
import type { Publication, PublicationChanges } from '../store/publication.ts';
import type { Publications } from '../store/publications.ts';
import type { Runs } from '../store/runs.ts';
import { createPublishGit, type PublishGit } from './git/publish-git.ts';
import { pushBranch } from './git/push-branch.ts';
import type { CodeHost } from './hosts/code-host.ts';
import type { CodeHosts } from './hosts/create-code-host.ts';
import { type PublishPlan, planOfRun } from './publish-plan.ts';
import { PublishProblem } from './publish-problem.ts';

export type PublisherParts = {
  runs: Pick<Runs, 'get'>;
  publications: Publications;
  environments: () => readonly ServiceEnvironment[];
  files: RunFiles;
  /** Objects of a repository's mirror, which need no download. */
  objectsDir: (url: string) => string;
  /** What the agent said at the end, for the text of a pull request. */
  answerOf: (runId: string) => Promise<string>;
  codeHosts: CodeHosts;
  /** Whether other services share the store, so that another one may have a run's files. */
  isShared: boolean;
  path: string;
  logger: Logger;
};

/** Everything that one attempt on a conversation's branch works with. */
export type BranchWork = {
  parts: PublisherParts;
  tracked: TrackedPublication;
  signal: AbortSignal;
  plan: PublishPlan;
  host: CodeHost;
};

/** @throws PublishProblem if the environment of the run doesn't publish anymore */
export async function planForRun(parts: PublisherParts, runId: string): Promise<PublishPlan> {
  const run = await parts.runs.get(runId);
  const plan = run && planOfRun(parts.environments, run);
  if (plan) return plan;
  throw new PublishProblem(
    'The environment of this run doesn\'t publish. Set "publish" in the environments file.',
  );
}

/**
 * Only for this attempt. A killed process leaves its folder, which the next start removes.
 * @param commit one of the repository's, because its length says how git names objects there
 */
export async function inScratchRepository<T>(
  { parts, plan, signal, host }: BranchWork,
  commit: string,
  work: (git: PublishGit, url: string) => Promise<T>,
): Promise<T> {
  const { files, path } = parts;
  await mkdir(files.publishingDir, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(files.publishingDir, 'repository-'));
  try {
    const access = accessTo(plan.repository.url, await host.login(signal));
    const objectsDir = parts.objectsDir(plan.repository.url);
    const git = createPublishGit({ dir: folder, objectsDir, access, path, signal });
    const format = commit.length > 40 ? 'sha256' : 'sha1';
    await git(['init', '--quiet', '--bare', `--object-format=${format}`]);
    return await work(git, access.url);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Nobody's commits are ever overwritten. */
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

/** Says first what it pushes, so that a repeated attempt knows the commit as ours. */
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

/** A leased publication: what is known of it, and how to change that durably. */
export type TrackedPublication = {
  readonly publication: Publication;
  /** @throws LeaseLost */
  record(changes: PublicationChanges): Promise<void>;
  /** Records what people see, so that the runs count as changed. @throws LeaseLost */
  announce(changes: PublicationChanges, note?: string): Promise<void>;
  /** Records, right before a step that can't be undone, that it begins. @throws LeaseLost */
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
