import { compact, type JsonObject } from '../lib/json.ts';
import type { Channel } from '../world/world.ts';

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

/** Documented, without a sample. */
export const appLeftEvent = (
  type: 'channel_left' | 'group_left',
  { id }: Channel,
  ts: string,
): JsonObject => ({ type, channel: id, event_ts: ts });
