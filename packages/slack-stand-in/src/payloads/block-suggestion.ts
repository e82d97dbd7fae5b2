import type { JsonObject } from '../lib/json.ts';
import { channelOf } from '../world/directory.ts';
import type { Message, View, World } from '../world/world.ts';
import { messageContainer } from './block-actions.ts';
import { channelPart, interactionBase } from './interaction.ts';
import { viewPayload } from './view.ts';

type Search = { userId: string; blockId: string; actionId: string; query: string };

/** An external select asks for options while a person types into it. */
export function blockSuggestion(
  world: World,
  { userId, blockId, actionId, query }: Search,
  place: { view: View } | { message: Message },
): JsonObject {
  const teamId =
    'view' in place ? place.view.teamId : channelOf(world, place.message.channelId).teamId;
  const base = {
    type: 'block_suggestion',
    ...interactionBase(world, userId, teamId),
    action_id: actionId,
    block_id: blockId,
    value: query,
  };
  if ('view' in place) {
    const container = { type: 'view', view_id: place.view.id };
    return { ...base, container, view: viewPayload(world, place.view) };
  }
  const channel = channelPart(world, place.message.channelId);
  return { ...base, container: messageContainer(world, place.message), channel };
}
