import type { JsonObject } from '../lib/json.ts';
import type { View, World } from '../world/world.ts';
import { interactionBase } from './interaction.ts';
import { viewPayload } from './view.ts';

/** `responseUrls` come from channel pickers with `response_url_enabled`. */
export function viewSubmission(
  world: World,
  view: View,
  { triggerId, responseUrls }: { triggerId: string; responseUrls: JsonObject[] },
): JsonObject {
  return {
    type: 'view_submission',
    ...interactionBase(world, view.userId, view.teamId),
    trigger_id: triggerId,
    view: viewPayload(world, view),
    response_urls: responseUrls,
  };
}

/** `isCleared` if the whole stack was closed at once. Typed values aren't sent. */
export function viewClosed(
  world: World,
  view: View,
  { isCleared }: { isCleared: boolean },
): JsonObject {
  return {
    type: 'view_closed',
    ...interactionBase(world, view.userId, view.teamId),
    view: viewPayload(world, view, { withValues: false }),
    is_cleared: isCleared,
  };
}
