import type { JsonObject } from '../lib/json.ts';
import type { Message } from '../world/world.ts';

export function reactionEvent(
  type: 'reaction_added' | 'reaction_removed',
  { message, name, userId, ts }: { message: Message; name: string; userId: string; ts: string },
): JsonObject {
  return {
    type,
    user: userId,
    reaction: name,
    item: { type: 'message', channel: message.channelId, ts: message.ts },
    item_user: message.userId,
    event_ts: ts,
  };
}
