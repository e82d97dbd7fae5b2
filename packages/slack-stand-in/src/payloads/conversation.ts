import { compact, type JsonObject } from '../lib/json.ts';
import type { Channel } from '../world/world.ts';

/**
 * Returns a conversation in the format of the `conversations.*` methods. `botUserId` is the bot user of the app that
 * gets it.
 */
export function conversationPayload(
  channel: Channel,
  botUserId: string,
  { withMembers = false }: { withMembers?: boolean } = {},
): JsonObject {
  const { id, createdSeconds, isArchived, isShared, kind } = channel;
  const base = {
    id,
    created: createdSeconds,
    is_archived: isArchived,
    is_im: kind === 'im',
    is_mpim: false,
    is_org_shared: false,
    context_team_id: channel.teamId,
    updated: createdSeconds * 1000,
  };
  if (kind === 'im') {
    const user = channel.memberIds.find((each) => each !== botUserId);
    return { ...base, user, is_user_deleted: false, is_open: true, priority: 0 };
  }
  return compact({
    ...base,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: true,
    is_group: false,
    is_general: channel.name === 'general',
    is_private: kind === 'private',
    is_shared: isShared,
    is_ext_shared: isShared,
    is_pending_ext_shared: false,
    is_member: channel.memberIds.includes(botUserId),
    unlinked: 0,
    creator: channel.creatorId,
    topic: { value: channel.topic, creator: channel.creatorId, last_set: createdSeconds },
    purpose: { value: channel.purpose, creator: channel.creatorId, last_set: createdSeconds },
    previous_names: [],
    num_members: withMembers ? channel.memberIds.length : undefined,
  });
}

type Member = { channel: Channel; userId: string; inviterId?: string | undefined; ts: string };

export function memberEvent(
  type: 'member_joined_channel' | 'member_left_channel',
  { channel, userId, inviterId, ts }: Member,
): JsonObject {
  return compact({
    type,
    user: userId,
    channel: channel.id,
    channel_type: channel.kind === 'private' ? 'G' : 'C',
    team: channel.teamId,
    inviter: inviterId,
    event_ts: ts,
  });
}

/**
 * Creates the event that the app gets after it left a channel. The format is from the documentation, which has no
 * sample.
 */
export const appLeftEvent = (
  type: 'channel_left' | 'group_left',
  { id }: Channel,
  ts: string,
): JsonObject => ({ type, channel: id, event_ts: ts });
