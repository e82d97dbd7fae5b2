import type { JsonObject } from '../json.ts';

/** Tokens of the app were revoked. Bot tokens are listed by bot user. */
export function tokensRevoked(botUserId: string, ts: string): JsonObject {
  return { type: 'tokens_revoked', tokens: { oauth: [], bot: [botUserId] }, event_ts: ts };
}

export function appUninstalled(ts: string): JsonObject {
  return { type: 'app_uninstalled', event_ts: ts };
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
