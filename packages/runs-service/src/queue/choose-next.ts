import type { RunGroup } from '../store/queued-runs.ts';

/**
 * Picks the group of the next run: among environments with capacity, the creator with the fewest active runs, then the
 * oldest run. So one person's fifty runs don't hold up everyone else.
 */
export function chooseNext(
  queued: readonly RunGroup[],
  active: readonly RunGroup[],
  capacityOf: (environmentId: string) => number,
): RunGroup | undefined {
  const count = (key: 'creatorUid' | 'environmentId', value: string) =>
    active.reduce((sum, group) => (group[key] === value ? sum + group.count : sum), 0);
  const startable = queued.filter(
    ({ environmentId }) => count('environmentId', environmentId) < capacityOf(environmentId),
  );
  return startable.sort(
    (a, b) =>
      count('creatorUid', a.creatorUid) - count('creatorUid', b.creatorUid) ||
      a.oldestCreatedAt - b.oldestCreatedAt,
  )[0];
}
