import { WebAPIPlatformError, WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import type { BotConfig } from '../../../config/bot-config.ts';
import type { Store } from '../../../store/store.ts';
import type { SlackClock } from '../../posting/slack-clock.ts';
import { needsAdmin } from '../../posting/slack-failure.ts';
import { createWebClient, listenerClientOptions } from '../calls/web-client.ts';
import { fixedToken, type Installations } from './installations.ts';
import { createOAuthInstallations } from './oauth-installations.ts';
import { listTeams } from './organization.ts';
import { createSingleInstallation } from './single-installation.ts';
import { createTokenRotation } from './token-rotation.ts';

type InstallationDeps = {
  owner: Store['owner'];
  installations: Store['installations'];
  apiUrl: string;
  clock: SlackClock;
  stopping: AbortSignal;
  logger: Logger;
};

/** Creates the installations of one workspace or organization from its bot token, or of many by OAuth. */
export function createInstallations(
  { botToken = '', oauth }: Pick<BotConfig['slack'], 'botToken' | 'oauth'>,
  { owner, installations: store, apiUrl, clock, stopping, logger }: InstallationDeps,
): Installations {
  if (!oauth) {
    const tokens = fixedToken(botToken);
    const client = createWebClient({ apiUrl, clock, stopping, logger, tokens });
    return createSingleInstallation({
      botToken,
      testAuth: () => client.auth.test(),
      listTeams: () => listTeams(client.auth.teams.list),
      owner,
      store,
    });
  }
  const options = listenerClientOptions(apiUrl, stopping);
  const clientWith = (token: string) => new WebClient(token, options);
  const refresh = createTokenRotation({
    // Don't retry, because a refresh token works only once.
    exchange: new WebClient(undefined, { ...options, retryConfig: { retries: 0 } }).oauth.v2.access,
    clientId: oauth.clientId,
    clientSecret: oauth.clientSecret,
    store,
    stopping,
    logger,
  });
  return createOAuthInstallations({
    store,
    refresh,
    isAccepted: (token) => isAccepted(clientWith(token)),
    listTeams: (token) => listTeams(clientWith(token).auth.teams.list),
    oauth,
    logger,
  });
}

async function isAccepted({ auth }: WebClient): Promise<boolean> {
  try {
    await auth.test();
    return true;
  } catch (error) {
    if (error instanceof WebAPIPlatformError && needsAdmin(error.data.error)) return false;
    throw error;
  }
}
