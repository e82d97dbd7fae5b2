import type { AppEvents } from '../deliveries/app-events.ts';
import type { Clock } from '../lib/ids.ts';
import { subteamMembersChanged, subteamSelf, subteamUpdated } from '../payloads/user-group.ts';
import { findInstallation } from './directory.ts';
import type { World } from './world.ts';

type Parts = { world: World; clock: Clock; events: AppEvents };

/** Changes who is in a user group. Resolves when the app has acknowledged the events. */
export async function changeUserGroup(
  { world, clock, events }: Parts,
  groupId: string,
  memberIds: readonly string[],
): Promise<void> {
  const group = world.userGroups.find(({ id }) => id === groupId);
  if (!group) throw new Error(`there is no user group ${groupId}`);
  const before = group.memberIds;
  group.memberIds = [...memberIds];
  const added = memberIds.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !memberIds.includes(id));
  const bot = findInstallation(world, group.teamId)?.botUserId ?? '';
  const ts = () => clock.nextTs();
  const sent = [
    subteamUpdated(group, ts()),
    subteamMembersChanged(group, { added, removed, ts: ts() }),
    ...(added.includes(bot) ? [subteamSelf('subteam_self_added', group, ts())] : []),
    ...(removed.includes(bot) ? [subteamSelf('subteam_self_removed', group, ts())] : []),
  ];
  for (const event of sent) await events.inTeam(group.teamId, String(event['type']), event);
}
