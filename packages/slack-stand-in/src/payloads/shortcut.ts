import type { JsonObject } from '../lib/json.ts';
import type { Message, World } from '../world/world.ts';
import { channelPart, interactionBase } from './interaction.ts';
import { messagePayload } from './message.ts';

type Shortcut = {
  userId: string;
  teamId: string;
  callbackId: string;
  triggerId: string;
  actionTs: string;
};

/** A shortcut from the composer or the search bar. It has no channel. */
export function globalShortcut(world: World, shortcut: Shortcut): JsonObject {
  const { user, api_app_id: _, ...base } = interactionBase(world, shortcut.userId, shortcut.teamId);
  const { name: __, ...userWithoutName } = user;
  return {
    type: 'shortcut',
    ...base,
    user: userWithoutName,
    action_ts: shortcut.actionTs,
    callback_id: shortcut.callbackId,
    trigger_id: shortcut.triggerId,
  };
}

/** A shortcut from *More actions* on a message. It even works in channels without the app. */
export function messageShortcut(
  world: World,
  shortcut: Shortcut,
  { message, responseUrl }: { message: Message; responseUrl: string },
): JsonObject {
  const { api_app_id: _, ...base } = interactionBase(world, shortcut.userId, shortcut.teamId);
  return {
    type: 'message_action',
    ...base,
    action_ts: shortcut.actionTs,
    callback_id: shortcut.callbackId,
    trigger_id: shortcut.triggerId,
    response_url: responseUrl,
    message_ts: message.ts,
    channel: channelPart(world, message.channelId),
    message: messagePayload(world, message),
  };
}
