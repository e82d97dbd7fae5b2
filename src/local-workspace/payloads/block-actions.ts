import { compact, type JsonObject } from '../json.ts';
import type { Message, View, World } from '../world.ts';
import { channelPart, interactionBase } from './interaction.ts';
import { messagePayload } from './message.ts';
import { viewPayload } from './view.ts';

type Click = { userId: string; triggerId: string; action: JsonObject };

/** A click on something in a message; an ephemeral message is not repeated, Slack has not kept it. */
export function blockActionsInMessage(
  world: World,
  { userId, triggerId, action }: Click,
  message: Message,
  { responseUrl, values }: { responseUrl: string; values: JsonObject },
): JsonObject {
  return compact({
    type: 'block_actions',
    ...interactionBase(world, userId),
    container: messageContainer(message),
    trigger_id: triggerId,
    channel: channelPart(world, message.channelId),
    message: message.visibleTo ? undefined : messagePayload(world, message),
    state: { values },
    response_url: responseUrl,
    actions: [action],
  });
}

/** A click on something in a modal or in the Home tab. */
export function blockActionsInView(
  world: World,
  { userId, triggerId, action }: Click,
  view: View,
): JsonObject {
  return {
    type: 'block_actions',
    ...interactionBase(world, userId),
    container: { type: 'view', view_id: view.id },
    trigger_id: triggerId,
    view: viewPayload(world, view),
    actions: [action],
  };
}

export function messageContainer(message: Message): JsonObject {
  return compact({
    type: 'message',
    message_ts: message.ts,
    channel_id: message.channelId,
    is_ephemeral: message.visibleTo !== undefined,
    thread_ts: message.threadTs,
  });
}
