import { newSecret } from '../lib/ids.ts';
import type { AppManifest } from '../manifest.ts';
import { ApiError } from '../web-api/api-error.ts';
import { findPerson, teamOf } from '../world/directory.ts';
import type { Installation, Organization, Person, World } from '../world/world.ts';
import type { Installations } from './installations.ts';
import type { Organizations } from './organizations.ts';

export type AuthorizeRequest = {
  scopes: string[];
  /** Those of them that the person may leave out. */
  optional?: string[];
  redirectUri: string;
  state: string;
};

type Grant = AuthorizeRequest & {
  person: Person;
  organization: Organization | undefined;
  atMs: number;
};

const codeValidMs = 10 * 60_000;

type Parts = {
  world: World;
  manifest: AppManifest;
  installations: Installations;
  organizations: Organizations;
};

/** OAuth v2 without the page: checks the request, makes a code, exchanges it for a token. */
export class OAuth {
  readonly #parts: Parts;
  readonly #grants = new Map<string, Grant>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Checks the query of the consent page. Throws Slack's errors. */
  readRequest(query: Record<string, string | undefined>): AuthorizeRequest {
    const { world, manifest } = this.#parts;
    const { redirect_urls: allowed, scopes: declared } = manifest.oauth_config;
    if (query['client_id'] !== world.app.clientId) throw new ApiError('invalid_client_id');
    const scopes = (query['scope'] ?? '').split(/[\s,]+/).filter(Boolean);
    if (scopes.length === 0) throw new ApiError('no_scopes');
    const unknown = scopes.filter((scope) => !declared.bot.includes(scope));
    if (unknown.length > 0) throw new ApiError('invalid_scope', { scopes: unknown });
    const redirectUri = query['redirect_uri'] ?? allowed[0];
    if (!redirectUri || !allowed.some((each) => isWithin(redirectUri, each))) {
      throw new ApiError('bad_redirect_uri');
    }
    const optional = scopes.filter((scope) => declared.bot_optional.includes(scope));
    return { scopes, optional, redirectUri, state: query['state'] ?? '' };
  }

  /**
   * Returns where to redirect the browser, with a code that works once.
   * @param isWhole installs the app in the person's organization
   */
  allow(request: AuthorizeRequest, userId: string, isWhole = false): string {
    const person = findPerson(this.#parts.world, userId);
    if (!person || person.role === 'bot') throw new ApiError('access_denied');
    if (['guest', 'stranger'].includes(person.role)) throw new ApiError('access_denied');
    if (!this.#isOffered(person.teamId)) throw new ApiError('invalid_team_for_non_distributed_app');
    const code = newSecret();
    const organization = this.#parts.world.organizations.find(
      ({ teamIds }) => isWhole && teamIds.includes(person.teamId),
    );
    if (isWhole && !organization) throw new ApiError('org_login_required');
    const grant = { ...request, person, organization, atMs: Date.now() };
    this.#grants.set(code, grant);
    return withQuery(request.redirectUri, { code, state: request.state });
  }

  /**
   * An app with workflow steps can't be distributed publicly, so only its own organization can install it. Source:
   * https://docs.slack.dev/workflows/workflow-steps
   */
  #isOffered(teamId: string): boolean {
    const { world, manifest } = this.#parts;
    const home = world.teams[0]?.id ?? '';
    if (teamId === home || Object.keys(manifest.functions).length === 0) return true;
    return world.organizations.some(
      ({ teamIds }) => teamIds.includes(home) && teamIds.includes(teamId),
    );
  }

  deny(request: AuthorizeRequest): string {
    return withQuery(request.redirectUri, { error: 'access_denied', state: request.state });
  }

  /** Installs the app; returns the response of `oauth.v2.access`. */
  exchange(code: string, redirectUri: string | undefined) {
    const { world, installations, organizations } = this.#parts;
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    if (!grant || Date.now() - grant.atMs > codeValidMs) throw new ApiError('invalid_code');
    if (redirectUri !== undefined && redirectUri !== grant.redirectUri) {
      throw new ApiError('bad_redirect_uri');
    }
    const { person, organization, scopes } = grant;
    const installation = organization
      ? organizations.install(organization, person.id, scopes)
      : installations.install(person.teamId, person.id, scopes);
    return { ...granted(world, installation), authed_user: { id: person.id } };
  }

  /** Returns the response of `oauth.v2.access` for a refresh token, which works once. */
  refresh(refreshToken: string) {
    const { world, installations } = this.#parts;
    const installation = installations.refresh(refreshToken);
    if (!installation) throw new ApiError('invalid_refresh_token');
    return granted(world, installation);
  }
}

function granted(world: World, installation: Installation) {
  const { botToken, refreshToken, expiresSeconds, scopes, botUserId, enterpriseId } = installation;
  const organization = world.organizations.find(({ id }) => id === enterpriseId);
  const { id, name } = organization ?? teamOf(world, installation.teamId);
  return {
    access_token: botToken,
    token_type: 'bot',
    scope: scopes.join(','),
    bot_user_id: botUserId,
    app_id: world.app.id,
    team: organization ? null : { id, name },
    enterprise: organization ? { id, name } : null,
    is_enterprise_install: organization !== undefined,
    ...(refreshToken !== undefined &&
      expiresSeconds !== undefined && {
        refresh_token: refreshToken,
        expires_in: expiresSeconds - Math.floor(Date.now() / 1000),
      }),
  };
}

/** A redirect URL may be below a declared one. On loopback, any port is allowed. */
function isWithin(given: string, declared: string): boolean {
  if (!URL.canParse(given) || !URL.canParse(declared)) return false;
  const [one, other] = [new URL(given), new URL(declared)];
  const isLoopback = one.hostname === '127.0.0.1' && other.hostname === '127.0.0.1';
  const isSameSite = isLoopback ? one.protocol === other.protocol : one.origin === other.origin;
  return isSameSite && one.pathname.startsWith(other.pathname);
}

function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
