import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { LRUCache } from 'lru-cache';
import type { BotToken, Installation, InstallationStore } from '../../../store/installations.ts';

type RotationDeps = {
  exchange: WebClient['oauth']['v2']['access'];
  clientId: string;
  clientSecret: string;
  store: InstallationStore;
  stopping: AbortSignal;
  logger: Logger;
};

/**
 * Refreshes a token that expires soon, or that Slack rejects.
 * @returns the newest token, or the same one if there is no other
 */
export type RefreshToken = (
  installation: Installation,
  when: 'if it expires' | 'now',
) => Promise<string>;

/**
 * Time before expiry at which a token is refreshed, in ms. Tokens last twelve hours, and Slack recommends two hours.
 */
const earlyMs = 2 * 60 * 60_000;
/** Remaining time of a token below which calls wait for the new one, in ms. */
const urgentMs = 60_000;
/** Lease of a refresh, in ms. Another replica tries the refresh after this time. */
const leaseMs = 15_000;
/** Wait after a rejected refresh, in ms. */
const againMs = 60_000;
const retryAfterMs = 100;

const notRefreshed =
  "Couldn't refresh a bot token; trying again in a minute. If Slack says invalid_refresh_token, install the app in that workspace again, at /slack/install.";

/**
 * Creates a function that refreshes tokens. Only one replica refreshes a token at a time, because Slack accepts each
 * refresh token only once.
 */
export function createTokenRotation(deps: RotationDeps) {
  const { store, stopping, logger } = deps;
  const running = new Map<string, Promise<string>>();
  /**
   * New tokens that aren't stored yet, by the refresh token used for them. Kept, because Slack returns each new token
   * only once.
   */
  const unsaved = new Map<string, BotToken>();
  const rejected = new LRUCache<string, true>({ max: 1_000, ttl: againMs });

  const refresh: RefreshToken = async (installation, when) => {
    const { id, version, token, refreshToken, expiresAt } = installation;
    const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - Date.now();
    if (refreshToken === null || (when !== 'now' && leftMs > earlyMs)) return token;
    if (rejected.has(`${id} ${version}`)) return token;
    const refreshing = running.get(id) ?? begin(installation, refreshToken);
    if (when === 'now' || leftMs <= urgentMs) return refreshing;
    refreshing.catch(() => undefined);
    return token;
  };

  function begin(installation: Installation, refreshToken: string): Promise<string> {
    const refreshing = replace(installation, refreshToken).finally(() =>
      running.delete(installation.id),
    );
    running.set(installation.id, refreshing);
    return refreshing;
  }

  /** Replaces a token, or waits while another replica does. If that replica dies or fails, this one tries. */
  async function replace(installation: Installation, refreshToken: string): Promise<string> {
    const { id, version, token } = installation;
    const until = Date.now() + 2 * leaseMs;
    while (!stopping.aborted && Date.now() < until) {
      if (await store.beginRefresh(installation, leaseMs)) {
        const fresh = unsaved.get(refreshToken) ?? (await ask(installation, refreshToken));
        if (!fresh) return (await store.find(id))?.token ?? token;
        unsaved.set(refreshToken, fresh);
        const isReplaced = await store.replaceToken(installation, fresh);
        unsaved.delete(refreshToken);
        return isReplaced ? fresh.token : ((await store.find(id))?.token ?? token);
      }
      const current = await store.find(id);
      if (!current) return token;
      if (current.version !== version) return current.token;
      await sleep(retryAfterMs, stopping);
    }
    return token;
  }

  /**
   * Asks Slack for a new token. Returns undefined if Slack rejects the refresh. Keeps the lease then, so that no
   * replica asks Slack again at once.
   */
  async function ask(
    { id, version, name }: Installation,
    refreshToken: string,
  ): Promise<BotToken | undefined> {
    try {
      const askedAt = Date.now();
      const { access_token, refresh_token, expires_in } = await deps.exchange({
        client_id: deps.clientId,
        client_secret: deps.clientSecret,
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      if (!access_token || !refresh_token || !expires_in) throw new Error('no token in the answer');
      logger.info({ installation: id }, 'refreshed a bot token');
      return {
        token: access_token,
        refreshToken: refresh_token,
        expiresAt: askedAt + expires_in * 1_000,
      };
    } catch (error) {
      const reason = error instanceof WebAPIPlatformError ? error.data.error : String(error);
      rejected.set(`${id} ${version}`, true);
      logger.error({ installation: id, name, reason }, notRefreshed);
      return undefined;
    }
  }

  return refresh;
}
