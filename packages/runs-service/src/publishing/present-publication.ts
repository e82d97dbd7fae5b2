import type { Run } from 'runs-client/contract';
import type { RunPublication } from 'runs-client/publication';
import type { Publication } from '../store/publication.ts';
import type { PublishPlan } from './publish-plan.ts';
import { possibleActions, progressOf } from './pull-requests/pull-request-actions.ts';

type PublicationOfRun = Publication & { mine: number };

/**
 * Converts a publication to its form in the API.
 * @param plan undefined if the environment doesn't publish anymore
 */
export function presentPublication(
  publication: PublicationOfRun,
  plan: PublishPlan | undefined,
): RunPublication {
  const { mine, done, problem, remark, wanted, branch, base, pullRequest, action } = publication;
  const isDone = done >= mine;
  const progress = isDone && action ? progressOf[action.action] : null;
  const message = progress ?? problem ?? (isDone ? remark : null);
  return {
    state: isDone ? (problem === null ? 'published' : 'failed') : 'publishing',
    ...(wanted.mode !== undefined && { mode: wanted.mode }),
    branch,
    ...(base !== null && { base }),
    ...(pullRequest && { url: pullRequest.url }),
    ...(message !== null && { message }),
    ...(plan && pullRequest && { actions: possibleActions(publication, plan) }),
  };
}

/**
 * Returns a publication's pull request as an artifact of the API. The fields after `branch` are extensions of this
 * service.
 */
export function pullRequestArtifacts({
  pullRequest,
  branch,
  base,
  tip,
  createdAt,
  publishedAt,
}: Publication): NonNullable<Run['artifacts']> {
  if (!pullRequest) return [];
  const { url, head, obstacle: _, ...more } = pullRequest;
  const data = { url, branch, ...more, base, commit: head ?? tip };
  const at = new Date(publishedAt ?? createdAt).toISOString();
  return [{ artifact_type: 'PULL_REQUEST', created_at: at, data }];
}
