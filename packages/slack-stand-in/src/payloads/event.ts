import { newId } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json.ts';
import { findPerson } from '../world/directory.ts';
import type { Installation, World } from '../world/world.ts';

/**
 * The outer body of every Events API delivery. `isShared` marks Slack Connect channels. There, `team_id` is the other
 * company's workspace if one of its people did it. Source: https://github.com/slackapi/bolt-js/issues/687
 */
export function eventCallback(
  world: World,
  installation: Installation,
  event: JsonObject,
  { channelId, isShared = false }: { channelId?: string; isShared?: boolean } = {},
): JsonObject {
  const context = [`1-${String(event['type'])}`, installation.teamId, channelId].filter(Boolean);
  const { enterpriseId = null } = installation;
  const foreign = isShared ? foreignTeamOf(world, event) : undefined;
  return {
    token: world.app.verificationToken,
    team_id: foreign ?? installation.teamId,
    enterprise_id: foreign ? null : enterpriseId,
    ...(enterpriseId !== null && { context_team_id: null, context_enterprise_id: enterpriseId }),
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

/** The team of someone from another company. */
function foreignTeamOf(world: World, event: JsonObject): string | undefined {
  const { user, message } = event;
  const author = typeof message === 'object' && message && 'user' in message ? message.user : user;
  const person = typeof author === 'string' ? findPerson(world, author) : undefined;
  return person?.role === 'stranger' ? person.teamId : undefined;
}
