import type { Run } from 'runs-client/contract';
import type { RunPublication } from 'runs-client/publication';
import type { Publication } from '../../store/service/service-publications.ts';

export type PublicationOfRun = Publication & { mine: number };

export function presentPublication(publication: PublicationOfRun): RunPublication {
  const { mine, done, problem, remark, wanted, branch, base, pullRequest } = publication;
  const isDone = done >= mine;
  const message = problem ?? (isDone ? remark : null);
  return {
    state: isDone ? (problem === null ? 'published' : 'failed') : 'publishing',
    ...(wanted.mode !== undefined && { mode: wanted.mode }),
    branch,
    ...(base !== null && { base }),
    ...(pullRequest && { url: pullRequest.url }),
    ...(message !== null && { message }),
  };
}

/** The pull request as an artifact. Members after `branch` are extensions. */
export function pullRequestArtifacts({
  pullRequest,
  branch,
  base,
  tip,
  createdAt,
  publishedAt,
}: Publication): NonNullable<Run['artifacts']> {
  if (!pullRequest) return [];
  const { url, ...more } = pullRequest;
  const data = { url, branch, ...more, base, commit: tip };
  const at = new Date(publishedAt ?? createdAt).toISOString();
  return [{ artifact_type: 'PULL_REQUEST', created_at: at, data }];
}
