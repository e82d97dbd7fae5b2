import type { Run } from 'runs-client/contract';
import { type PullRequestData, pullRequestDataSchema } from 'runs-client/publication';

/** The pull requests of a run, in the service's order. */
export const pullRequestsOf = (run: Pick<Run, 'artifacts'> | null): PullRequestData[] =>
  (run?.artifacts ?? []).flatMap(({ artifact_type: type, data }) => {
    const read = pullRequestDataSchema.safeParse(data ?? {});
    return type === 'PULL_REQUEST' && read.success ? [read.data] : [];
  });

/** Returns true if it can still be reviewed or merged. Not every service gives the state. */
export const isOpen = ({ state }: PullRequestData): boolean =>
  state === 'open' || state === 'draft';

/** Returns true if it was merged or closed. */
export const isClosed = ({ state }: PullRequestData): boolean =>
  state === 'merged' || state === 'closed';

/** Returns true if it waits for review: it's open and not a draft. */
export const isToReview = ({ state }: PullRequestData): boolean => state === 'open';
