import type { Run } from 'runs-client/contract';
import { type PullRequestData, pullRequestDataSchema } from 'runs-client/publication';

/** Returns a run's pull requests in the service's order. */
export const pullRequestsOf = (run: Pick<Run, 'artifacts'> | null): PullRequestData[] =>
  (run?.artifacts ?? []).flatMap(({ artifact_type: type, data }) => {
    const read = pullRequestDataSchema.safeParse(data ?? {});
    return type === 'PULL_REQUEST' && read.success ? [read.data] : [];
  });

/** Returns true if the pull request can still be reviewed or merged. False if the service doesn't report a state. */
export const isOpen = ({ state }: PullRequestData): boolean =>
  state === 'open' || state === 'draft';

/** Returns true if the pull request was merged or closed. */
export const isClosed = ({ state }: PullRequestData): boolean =>
  state === 'merged' || state === 'closed';

/** Returns true if the pull request needs review. Some services don't report the review. */
export const isToReview = ({ state, review }: PullRequestData): boolean =>
  state === 'open' && review !== 'approved';
