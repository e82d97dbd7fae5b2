import type { RunRequest } from '../../../../store/requests/request-row.ts';
import type { Rating } from '../../../../store/requests/run-feedback.ts';

/** Returns true for a run with a result. A failure needs no rating. */
export const canBeRated = ({
  step,
  run,
  problem,
}: Pick<RunRequest, 'step' | 'run' | 'problem'>): boolean =>
  step === 'ended' && !problem && run?.state === 'SUCCEEDED';

export function countRatings(ratings: readonly Rating[]): { good: number; bad: number } {
  const good = ratings.filter(({ isGood }) => isGood).length;
  return { good, bad: ratings.length - good };
}
