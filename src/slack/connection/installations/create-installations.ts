import { WebAPIPlatformError, WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import type { BotConfig, OAuthConfig } from '../../../config/bot-config.ts';
import type { Store } from '../../../store/store.ts';
import type { SlackClock } from '../../posting/slack-clock.ts';
import { needsAdmin } from '../../posting/slack-failure.ts';
import { createWebClient, listenerClientOptions } from '../calls/web-client.ts';
import { fixedToken, type Installations } from './installations.ts';
import { createOAuthInstallations } from './oauth-installations.ts';
import { listTeams } from './organization-teams.ts';
import { createSingleInstallation } from './single-installation.ts';
import { createTokenRotation } from './token-rotation.ts';

type CallParts = { apiUrl: string; clock: SlackClock; stopping: AbortSignal; logger: Logger };
type Parts = CallParts & Pick<Store, 'owner' | 'installations'>;

/** One workspace or organization by its token, or many by OAuth. */
export function createInstallations(
  { botToken = '', oauth }: Pick<BotConfig['slack'], 'botToken' | 'oauth'>,
  { owner, installations, ...calling }: Parts,
): Installations {
  if (oauth) return createMany(oauth, { owner, installations, ...calling });
  const client = createWebClient({ ...calling, tokens: fixedToken(botToken) });
  return createSingleInstallation({ botToken, client, owner, store: installations });
}

function createMany(oauth: OAuthConfig, { installations: store, ...calling }: Parts) {
  const { apiUrl, stopping, logger } = calling;
  // A refresh token works once, so no call is repeated.
  const options = { ...listenerClientOptions(apiUrl, stopping), retryConfig: { retries: 0 } };
  const client = new WebClient(undefined, options);
  const refresh = createTokenRotation({ ...oauth, client, store, stopping, logger });
  async function isAccepted(token: string): Promise<boolean> {
    try {
      await new WebClient(token, listenerClientOptions(apiUrl, stopping)).auth.test();
      return true;
    } catch (error) {
      if (error instanceof WebAPIPlatformError && needsAdmin(error.data.error)) return false;
      throw error;
    }
  }
  const listTeamsWith = (token: string) =>
    listTeams(new WebClient(token, listenerClientOptions(apiUrl, stopping)));
  return createOAuthInstallations({
    store,
    refresh,
    isAccepted,
    listTeams: listTeamsWith,
    oauth,
    logger,
  });
}
