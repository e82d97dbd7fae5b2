import type { JsonObject } from '../lib/json.ts';
import type { UserGroup } from '../world/world.ts';

const createdSeconds = 1_735_689_600;

export const userGroupPayload = ({ id, teamId, handle, name }: UserGroup): JsonObject => ({
  id,
  team_id: teamId,
  is_usergroup: true,
  is_subteam: true,
  name,
  description: '',
  handle,
  is_external: false,
  date_create: createdSeconds,
  date_update: createdSeconds,
  date_delete: 0,
  auto_type: null,
  created_by: 'USLACKBOT',
  updated_by: 'USLACKBOT',
  deleted_by: null,
  prefs: { channels: [], groups: [] },
});

export const subteamUpdated = (group: UserGroup, ts: string): JsonObject => ({
  type: 'subteam_updated',
  subteam: {
    ...userGroupPayload(group),
    users: group.memberIds,
    user_count: group.memberIds.length,
  },
  event_ts: ts,
});

type MembersChanged = { added: string[]; removed: string[]; ts: string };

/** Documented, without a sample. */
export const subteamMembersChanged = (
  { id, teamId }: UserGroup,
  { added, removed, ts }: MembersChanged,
): JsonObject => ({
  type: 'subteam_members_changed',
  subteam_id: id,
  team_id: teamId,
  date_previous_update: createdSeconds,
  date_update: Math.floor(Number(ts)),
  added_users: added,
  added_users_count: added.length,
  removed_users: removed,
  removed_users_count: removed.length,
  event_ts: ts,
});

/** The app itself joined or left. */
export const subteamSelf = (
  type: 'subteam_self_added' | 'subteam_self_removed',
  { id }: UserGroup,
  ts: string,
): JsonObject => ({ type, subteam_id: id, event_ts: ts });
