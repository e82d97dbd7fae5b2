import type { ServiceRunGroup } from '../../store/service/service-run-queue.ts';

/**
 * Whose run starts next: of the groups whose environment has room, the creator with the fewest runs going, then who
 * has waited longest. So nobody waits behind another one's fifty runs.
 */
export function chooseNext(
  queued: readonly ServiceRunGroup[],
  going: readonly ServiceRunGroup[],
  roomIn: (environmentId: string) => number,
): ServiceRunGroup | undefined {
  const count = (key: 'creatorUid' | 'environmentId', value: string) =>
    going.reduce((sum, group) => (group[key] === value ? sum + group.count : sum), 0);
  const startable = queued.filter(
    ({ environmentId }) => count('environmentId', environmentId) < roomIn(environmentId),
  );
  return startable.sort(
    (a, b) =>
      count('creatorUid', a.creatorUid) - count('creatorUid', b.creatorUid) ||
      a.oldestCreatedAt - b.oldestCreatedAt,
  )[0];
}
