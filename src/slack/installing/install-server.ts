import { createHmac, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Installation, InstallProvider } from '@slack/oauth';
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRequestError } from '@slack/web-api';
import type { Logger } from 'base/logger';
import type { OAuthConfig } from '../../config/bot-config.ts';
import type { InstallationStore, NewInstallation } from '../../store/installations.ts';
import { createBoltLogger } from '../connection/bolt-logger.ts';
import { listenerClientOptions } from '../connection/calls/web-client.ts';
import type { ServePages } from '../connection/http-receiver.ts';
import {
  type InstallPage,
  type InstallProblem,
  installedPage,
  installPath,
  notInstalledPage,
} from './install-pages.ts';

type InstallServerDeps = {
  oauth: OAuthConfig;
  apiUrl: string;
  store: Pick<InstallationStore, 'save'>;
  /** Called after each installation, including a repeated one. */
  installed(): void;
  stopping: AbortSignal;
  logger: Logger;
};

const redirectPath = '/slack/oauth_redirect';

/**
 * Creates the pages of the OAuth installation. A signed cookie ties Slack's redirect to the same browser for ten
 * minutes.
 */
export function createInstallServer(deps: InstallServerDeps): ServePages {
  const { oauth, logger } = deps;
  const provider = createProvider(deps);
  const redirectUri = `${oauth.publicUrl}${redirectPath}`;

  return async (request, response) => {
    const [pathname, query] = (request.url ?? '').split('?');
    const searchParams = new URLSearchParams(query);
    if (request.method !== 'GET') return false;
    if (pathname === installPath) {
      const teamId = searchParams.get('team') ?? undefined;
      const options = { redirectUri, scopes: scopesIn(oauth, searchParams.get('scope')) };
      response.setHeader('cache-control', 'no-store');
      await provider.handleInstallPath(request, response, undefined, {
        ...options,
        ...(teamId !== undefined && { teamId }),
      });
      return true;
    }
    if (pathname !== redirectPath) return false;
    await provider.handleCallback(request, response, {
      success: (installation, _options, _request, answer) => {
        const { team, enterprise, appId } = installation;
        logger.info({ team: team?.id, enterprise: enterprise?.id }, 'Installed by OAuth');
        const name = team?.name ?? enterprise?.name ?? 'your workspace';
        send(answer, installedPage({ appId, teamId: team?.id, name }));
      },
      failure: (error, _options, _request, answer) => {
        const problem = problemOf(error);
        const isOurs = problem === 'unexpected' || problem === 'credentials';
        const reference = isOurs ? randomBytes(3).toString('hex') : undefined;
        if (isOurs) logger.error({ err: error, reference }, "Couldn't install the app");
        else logger.info({ problem }, 'The app was not installed');
        send(answer, notInstalledPage(problem, reference));
      },
    });
    return true;
  };
}

function createProvider({ oauth, apiUrl, store, installed, stopping, logger }: InstallServerDeps) {
  const { clientId, clientSecret } = oauth;
  const { logger: _, ...clientOptions } = listenerClientOptions(apiUrl, stopping);
  return new InstallProvider({
    clientId,
    clientSecret,
    directInstall: true,
    stateSecret: createHmac('sha256', clientSecret)
      .update('state of an installation')
      .digest('hex'),
    authorizationUrl: new URL('/oauth/v2/authorize', apiUrl).href,
    clientOptions,
    // Silence the library's errors, because `failure` shows a page and logs the errors that the operator can fix.
    logger: { ...createBoltLogger(logger), error: () => undefined },
    installationStore: {
      async storeInstallation(installation) {
        await store.save(readInstallation(installation));
        installed();
      },
      fetchInstallation: async () => {
        throw new Error('Installations are read from the store');
      },
    },
  });
}

/** Returns the scopes to request. Ignores scopes that the app doesn't have, because the URL can contain anything. */
function scopesIn({ scopes }: OAuthConfig, asked: string | null): string[] {
  const wanted = new Set((asked ?? '').split(','));
  const some = scopes.filter((scope) => wanted.has(scope));
  return some.length > 0 ? some : [...scopes];
}

function readInstallation(installation: Installation<'v1' | 'v2', boolean>): NewInstallation {
  const { team, enterprise, bot, user, isEnterpriseInstall } = installation;
  const place = isEnterpriseInstall ? enterprise : team;
  if (!bot || !place) throw new Error('Slack installed no bot');
  return {
    id: place.id,
    name: place.name ?? place.id,
    teamId: isEnterpriseInstall ? undefined : place.id,
    botId: bot.id,
    botUserId: bot.userId,
    scopes: bot.scopes,
    installedBy: user.id,
    token: bot.token,
    refreshToken: bot.refreshToken ?? null,
    expiresAt: bot.expiresAt === undefined ? null : bot.expiresAt * 1_000,
  };
}

const late = new Set([
  ...['slack_oauth_invalid_state', 'slack_oauth_missing_state', 'slack_oauth_missing_code'],
]);
const lateCodes = new Set(['invalid_code', 'code_already_used', 'code_expired']);
const wrongCredentials = new Set(['bad_client_secret', 'invalid_client_id', 'bad_redirect_uri']);

function problemOf(error: Error & { code?: string }): InstallProblem {
  if (error instanceof WebAPIPlatformError) {
    if (lateCodes.has(error.data.error)) return 'too_late';
    return wrongCredentials.has(error.data.error) ? 'credentials' : 'unexpected';
  }
  if (error instanceof WebAPIRequestError || error instanceof WebAPIHTTPError) return 'unreachable';
  if (error.code === 'slack_oauth_installer_authorization_error') return 'canceled';
  return error.code && late.has(error.code) ? 'too_late' : 'unexpected';
}

function send(response: ServerResponse, { status, html }: InstallPage): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    // Send no referrer, because the address contains the OAuth code.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(html);
}
