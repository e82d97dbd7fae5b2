import type { JsonObject } from '../lib/json.ts';

/** Tokens of the app were revoked. Bot tokens are listed by bot user. */
export function tokensRevoked(botUserId: string, ts: string): JsonObject {
  return { type: 'tokens_revoked', tokens: { oauth: [], bot: [botUserId] }, event_ts: ts };
}

export function appUninstalled(ts: string): JsonObject {
  return { type: 'app_uninstalled', event_ts: ts };
}

/** What happens to workspaces of an organization. It's an event of none of them. */
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

/** The app exceeded the limit of events. There is no inner event. */
export function appRateLimited(app: { id: string; verificationToken: string }, teamId: string) {
  return {
    token: app.verificationToken,
    type: 'app_rate_limited',
    team_id: teamId,
    minute_rate_limited: Math.floor(Date.now() / 60_000) * 60,
    api_app_id: app.id,
  };
}
