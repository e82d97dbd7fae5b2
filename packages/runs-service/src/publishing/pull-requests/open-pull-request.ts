import type { PullRequest } from '../../store/publication.ts';
import type { ServiceRun } from '../../store/runs/service-runs.ts';
import type { BranchWork } from '../branch-work.ts';
import { PublishProblem } from '../publish-problem.ts';
import { pullRequestTexts } from '../texts/publish-texts.ts';

type OpenPullRequest = BranchWork & { run: ServiceRun; base: string };

/** Opens the pull request of a pushed branch, or finds the one that it has. Returns a remark for people. */
export async function openPullRequest(work: OpenPullRequest): Promise<string | undefined> {
  const { tracked, host, plan, signal } = work;
  const { branch, wanted } = tracked.publication;
  const found = await host.find(branch, signal);
  if (found && found.state !== 'open' && found.state !== 'draft') {
    await tracked.record({ pullRequest: found });
    throw new PublishProblem(
      `Pull request #${found.number} of this conversation was ${found.state}. The branch ${branch} has the new changes. Start a new conversation to open another one.`,
    );
  }
  const pullRequest = found ?? (await open(work));
  await tracked.record({ pullRequest });
  const { reviewers = plan.config.reviewers ?? [] } = wanted;
  const labels = plan.config.labels ?? [];
  return host.decorate(pullRequest.number, { reviewers, labels }, signal);
}

async function open({
  parts,
  tracked,
  host,
  plan,
  run,
  base,
  signal,
}: OpenPullRequest): Promise<PullRequest> {
  const { branch, wanted } = tracked.publication;
  const texts = pullRequestTexts(plan.config, run, await parts.answerOf(run.id), wanted);
  const draft = wanted.draft ?? plan.config.draft ?? false;
  await tracked.begin({ base });
  const opened = await host.open({ branch, base, draft, ...texts }, signal);
  if (opened !== 'exists') return opened;
  // Another process opened it after we looked.
  const found = await host.find(branch, signal);
  if (found) return found;
  throw new PublishProblem(`The pull request of ${branch} exists, but isn't listed yet.`, {
    mayPass: true,
  });
}
