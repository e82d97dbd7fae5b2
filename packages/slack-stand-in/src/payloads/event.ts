import { newId } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Installation, World } from '../world/world.ts';

/** The outer body of every Events API delivery. `isShared` marks Slack Connect channels. */
export function eventCallback(
  world: World,
  installation: Installation,
  event: JsonObject,
  { channelId, isShared = false }: { channelId?: string; isShared?: boolean } = {},
): JsonObject {
  const context = [`1-${String(event['type'])}`, installation.teamId, channelId].filter(Boolean);
  const { enterpriseId = null } = installation;
  return {
    token: world.app.verificationToken,
    team_id: installation.teamId,
    enterprise_id: enterpriseId,
    api_app_id: world.app.id,
    event,
    type: 'event_callback',
    event_id: newId('Ev'),
    event_time: Math.floor(Date.now() / 1000),
    authorizations: [
      {
        enterprise_id: enterpriseId,
        team_id: enterpriseId === null ? installation.teamId : null,
        user_id: installation.botUserId,
        is_bot: true,
        is_enterprise_install: enterpriseId !== null,
      },
    ],
    is_ext_shared_channel: isShared,
    event_context: context.join('-'),
  };
}
