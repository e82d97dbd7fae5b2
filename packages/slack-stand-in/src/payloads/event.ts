import { newId } from '../lib/ids.ts';
import { compact, type JsonObject } from '../lib/json.ts';
import { findPerson } from '../world/directory.ts';
import type { Installation, View, World } from '../world/world.ts';
import { viewPayload } from './view.ts';

/**
 * Creates the outer body of an Events API delivery. `isShared` is true for Slack Connect channels. In them, `team_id`
 * is the other company's workspace if one of its people acted. Source: https://github.com/slackapi/bolt-js/issues/687
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

/** Returns the team of the event's author if the author is from another company. */
function foreignTeamOf(world: World, event: JsonObject): string | undefined {
  const { user, message } = event;
  const author = typeof message === 'object' && message && 'user' in message ? message.user : user;
  const person = typeof author === 'string' ? findPerson(world, author) : undefined;
  return person?.role === 'stranger' ? person.teamId : undefined;
}

/**
 * Creates the event that Slack sends after the app's tokens were revoked. Slack lists bot tokens by their bot user's
 * ID.
 */
export function tokensRevoked(botUserId: string, ts: string): JsonObject {
  return { type: 'tokens_revoked', tokens: { oauth: [], bot: [botUserId] }, event_ts: ts };
}

export function appUninstalled(ts: string): JsonObject {
  return { type: 'app_uninstalled', event_ts: ts };
}

/**
 * Creates the event that Slack sends after an organization added the app to workspaces, or removed it from them. The
 * event names no single workspace.
 */
export function teamAccessChanged(
  app: { id: string; verificationToken: string },
  { eventId, enterpriseId }: { eventId: string; enterpriseId: string },
  { type, teamIds }: { type: string; teamIds: readonly string[] },
): JsonObject {
  const seconds = Math.floor(Date.now() / 1000);
  return {
    token: app.verificationToken,
    enterprise_id: enterpriseId,
    api_app_id: app.id,
    event: { type, team_ids: teamIds, event_ts: `${seconds}.000000` },
    type: 'event_callback',
    event_id: eventId,
    event_time: seconds,
  };
}

/** Creates the notice that the app gets too many events. The notice has no inner event. */
export function appRateLimited(app: { id: string; verificationToken: string }, teamId: string) {
  return {
    token: app.verificationToken,
    type: 'app_rate_limited',
    team_id: teamId,
    minute_rate_limited: Math.floor(Date.now() / 60_000) * 60,
    api_app_id: app.id,
  };
}

type Stopped = { channelId: string; threadTs: string; userId: string; ts: string };

/**
 * Creates the event that Slack sends after a person clicked Stop. The format is from the documentation, which has no
 * sample. The list of streaming messages is empty, because the stand-in doesn't stream.
 */
export const agentSessionStopped = ({ channelId, threadTs, userId, ts }: Stopped): JsonObject => ({
  type: 'agent_session_stopped',
  channel: channelId,
  user: userId,
  thread_ts: threadTs,
  streaming_message_ts: [],
  event_ts: ts,
});

type Opening = { userId: string; channelId: string; ts: string; tab: 'home' | 'messages' };

/**
 * Creates the event that Slack sends after a person opened the app's Home or Messages tab. For the Home tab, the event
 * contains the published view, if any.
 */
export function appHomeOpened(
  world: World,
  { userId, channelId, ts, tab }: Opening,
  home: View | undefined,
): JsonObject {
  return compact({
    type: 'app_home_opened',
    user: userId,
    channel: channelId,
    tab,
    view: home && tab === 'home' ? viewPayload(world, home) : undefined,
    event_ts: ts,
  });
}
