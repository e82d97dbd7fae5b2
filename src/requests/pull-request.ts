import type { Run } from 'runs-client/contract';
import { type PullRequestData, pullRequestDataSchema } from 'runs-client/publication';

/** The pull requests of a run, in the service's order. */
export const pullRequestsOf = (run: Pick<Run, 'artifacts'> | null): PullRequestData[] =>
  (run?.artifacts ?? []).flatMap(({ artifact_type: type, data }) => {
    const read = pullRequestDataSchema.safeParse(data ?? {});
    return type === 'PULL_REQUEST' && read.success ? [read.data] : [];
  });

/** Whether someone may still review or merge it. Not every service says so. */
export const isOpen = ({ state }: PullRequestData): boolean =>
  state === 'open' || state === 'draft';

/** Whether it was merged or turned down, so that nothing is done to it any more. */
export const isClosed = ({ state }: PullRequestData): boolean =>
  state === 'merged' || state === 'closed';

/** Whether someone should review it: it's open and not a draft. */
export const isToReview = ({ state }: PullRequestData): boolean => state === 'open';
