import type { JsonObject } from '../lib/json.ts';
import type { Message, World } from '../world/world.ts';
import { messagePayload } from './message.ts';

/** A message was edited: by a person, or by the app itself. */
export function messageChanged(
  world: World,
  message: Message,
  before: Message,
  ts: string,
): JsonObject {
  return {
    type: 'message',
    subtype: 'message_changed',
    message: messagePayload(world, message),
    previous_message: messagePayload(world, before),
    channel: message.channelId,
    hidden: true,
    ts,
    event_ts: ts,
  };
}

export function messageDeleted(world: World, message: Message, ts: string): JsonObject {
  return {
    type: 'message',
    subtype: 'message_deleted',
    previous_message: messagePayload(world, message),
    channel: message.channelId,
    hidden: true,
    deleted_ts: message.ts,
    event_ts: ts,
    ts,
  };
}
