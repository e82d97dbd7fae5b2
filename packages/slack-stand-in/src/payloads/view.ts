import type { JsonObject } from '../lib/json.ts';
import { organizationWith, personOf } from '../world/directory.ts';
import type { View, World } from '../world/world.ts';
import { interactionBase, namedTeamOf } from './interaction.ts';

/**
 * Returns a view in the format of responses and interactions. Without `withValues`, `values` is empty, as in Slack's
 * `view_closed`.
 */
export function viewPayload(
  world: World,
  view: View,
  { withValues = true }: { withValues?: boolean } = {},
): JsonObject {
  const installation = world.installations.findLast((each) => each.teamId === view.teamId);
  const { content } = view;
  return {
    id: view.id,
    // Name the person's own team if the app is installed in a whole organization. The workspace in which they act
    // doesn't matter.
    team_id: installation?.enterpriseId ? namedTeamOf(personOf(world, view.userId)) : view.teamId,
    type: view.type,
    blocks: content['blocks'],
    private_metadata: content['private_metadata'] ?? '',
    callback_id: content['callback_id'] ?? '',
    state: { values: withValues ? view.values : {} },
    hash: view.hash,
    title: content['title'] ?? { type: 'plain_text', text: 'View Title', emoji: true },
    clear_on_close: content['clear_on_close'] ?? false,
    notify_on_close: content['notify_on_close'] ?? false,
    close: content['close'] ?? null,
    submit: content['submit'] ?? null,
    previous_view_id: view.previousViewId,
    root_view_id: view.rootViewId,
    app_id: world.app.id,
    external_id: view.externalId,
    app_installed_team_id: installation?.enterpriseId ?? firstInstalled(world, view.teamId),
    bot_id: installation?.botId,
  };
}

/**
 * Returns the team whose installation Slack names in a view. If the app is installed in several teams of an
 * organization, Slack names the first team. Source: https://github.com/slackapi/bolt-python/issues/1229
 */
function firstInstalled(world: World, teamId: string): string {
  const teamIds = organizationWith(world, teamId)?.teamIds ?? [];
  const isActive = (id: string) =>
    world.installations.some((each) => each.teamId === id && each.status === 'active');
  const first = world.installations.find((each) => teamIds.includes(each.teamId));
  return first && isActive(first.teamId) ? first.teamId : teamId;
}

/** Creates the payload for a submitted modal. `responseUrls` come from channel pickers with `response_url_enabled`. */
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

/**
 * Creates the payload for a closed modal, without entered values. `isCleared` is true if all modals were closed at
 * once.
 */
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
