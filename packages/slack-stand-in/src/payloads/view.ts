import type { JsonObject } from '../lib/json.ts';
import type { View, World } from '../world/world.ts';

/** A view in responses and interactions. `values` is empty where Slack leaves it empty. */
export function viewPayload(
  world: World,
  view: View,
  { withValues = true }: { withValues?: boolean } = {},
): JsonObject {
  const installation = world.installations.findLast((each) => each.teamId === view.teamId);
  const { content } = view;
  return {
    id: view.id,
    team_id: view.teamId,
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
    app_installed_team_id: installation?.enterpriseId ?? view.teamId,
    bot_id: installation?.botId,
  };
}
