import { Hono } from 'hono';
import { html } from 'hono/html';
import { newSecret } from '../lib/ids.ts';
import type { AppManifest } from '../manifest.ts';
import { ApiError } from '../web-api/api-error.ts';
import { findPerson, teamOf } from '../world/directory.ts';
import type { Installation, Organization, Person, World } from '../world/world.ts';
import type { Installations, Organizations } from './installations.ts';

type AuthorizeRequest = {
  scopes: string[];
  /** Scopes that people may leave out when they install the app. */
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

type OAuthDeps = {
  world: World;
  manifest: AppManifest;
  installations: Installations;
  organizations: Organizations;
};

/**
 * Carries out OAuth v2, except for the consent page. Checks the request, creates a code, and exchanges the code for a
 * token.
 */
export class OAuth {
  readonly #deps: OAuthDeps;
  readonly #grants = new Map<string, Grant>();

  constructor(deps: OAuthDeps) {
    this.#deps = deps;
  }

  /** Checks the query of the consent page, and returns the request in it. Throws Slack's errors. */
  readRequest(query: Record<string, string | undefined>): AuthorizeRequest {
    const { world, manifest } = this.#deps;
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
   * Creates a code that works once. Returns the URL to which the browser is redirected with the code.
   * @param isWhole true to install the app in the person's organization
   */
  allow(request: AuthorizeRequest, userId: string, isWhole = false): string {
    const person = findPerson(this.#deps.world, userId);
    if (!person || person.role === 'bot') throw new ApiError('access_denied');
    if (['guest', 'stranger'].includes(person.role)) throw new ApiError('access_denied');
    if (!this.#isOffered(person.teamId)) throw new ApiError('invalid_team_for_non_distributed_app');
    const code = newSecret();
    const organization = this.#deps.world.organizations.find(
      ({ teamIds }) => isWhole && teamIds.includes(person.teamId),
    );
    if (isWhole && !organization) throw new ApiError('org_login_required');
    const grant = { ...request, person, organization, atMs: Date.now() };
    this.#grants.set(code, grant);
    return withQuery(request.redirectUri, { code, state: request.state });
  }

  /**
   * Returns true if the team can install the app. An app with workflow steps can't be distributed publicly, so only
   * teams of the app's organization can install it. Source: https://docs.slack.dev/workflows/workflow-steps
   */
  #isOffered(teamId: string): boolean {
    const { world, manifest } = this.#deps;
    const home = world.teams[0]?.id ?? '';
    if (teamId === home || Object.keys(manifest.functions).length === 0) return true;
    return world.organizations.some(
      ({ teamIds }) => teamIds.includes(home) && teamIds.includes(teamId),
    );
  }

  deny(request: AuthorizeRequest): string {
    return withQuery(request.redirectUri, { error: 'access_denied', state: request.state });
  }

  /** Exchanges the code for an installation. Returns the response of `oauth.v2.access`. */
  exchange(code: string, redirectUri: string | undefined) {
    const { world, installations, organizations } = this.#deps;
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

  /** Returns the response of `oauth.v2.access` for a refresh token. A refresh token works once. */
  refresh(refreshToken: string) {
    const { world, installations } = this.#deps;
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

/**
 * Returns true if the requested redirect URL equals the declared URL or is below it. On loopback, any port is allowed.
 */
function isWithin(requested: string, declared: string): boolean {
  if (!URL.canParse(requested) || !URL.canParse(declared)) return false;
  const [one, other] = [new URL(requested), new URL(declared)];
  const isLoopback = one.hostname === '127.0.0.1' && other.hostname === '127.0.0.1';
  const isSameSite = isLoopback ? one.protocol === other.protocol : one.origin === other.origin;
  return isSameSite && one.pathname.startsWith(other.pathname);
}

function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

const style = `body { font: 16px/1.5 system-ui; max-width: 34rem; margin: 3rem auto; padding: 0 1rem;
  color-scheme: light dark } button { font: inherit; padding: .4rem 1rem; margin-right: .5rem }`;

/** Serves the consent page at `/oauth/v2/authorize`. */
export function createOAuthPage({ world, oauth }: { world: World; oauth: OAuth }): Hono {
  const page = new Hono();
  /**
   * Requests that wait for the person's decision, by the secret in their form. Each form works once, and other sites
   * don't know its secret.
   */
  const open = new Map<string, AuthorizeRequest>();

  page.get('/v2/authorize', (context) => {
    const request = oauth.readRequest(context.req.query());
    const form = newSecret();
    open.set(form, request);
    const { scopes, optional = [] } = request;
    const required = scopes.filter((scope) => !optional.includes(scope));
    const installers = world.people.filter(({ role }) => role === 'admin' || role === 'owner');
    return context.html(html`<!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Install ${world.app.name}</title>
      <meta name="viewport" content="width=device-width"><style>${style}</style></head>
      <body><h1>${world.app.name} wants access to your workspace</h1>
      <p>It can then use:</p>
      <ul>${required.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>
      <form method="post" action="/oauth/v2/authorize">
        <input type="hidden" name="form" value="${form}">
        <p><label>Install as <select name="user">${installers.map(
          ({ id, realName, teamId }) =>
            html`<option value="${id}">${realName}, ${teamOf(world, teamId).name}</option>`,
        )}</select></label></p>
        ${
          optional.length > 0
            ? html`<fieldset><legend>Optional</legend>${optional.map(
                (scope) => html`<p><label>
                  <input type="checkbox" name="optional" value="${scope}" checked>
                  <code>${scope}</code></label></p>`,
              )}</fieldset>`
            : ''
        }
        ${
          world.organizations.length > 0
            ? html`<p><label><input type="checkbox" name="organization" value="yes">
                In the whole organization</label></p>`
            : ''
        }
        <button name="answer" value="allow">Allow</button>
        <button name="answer" value="deny">Cancel</button>
      </form></body></html>`);
  });

  page.post('/v2/authorize', async (context) => {
    const fields = await context.req.parseBody({ all: true });
    const form = String(fields['form']);
    const request = open.get(form);
    if (!request) throw new ApiError('invalid_form');
    open.delete(form);
    const isAllowed = fields['answer'] === 'allow';
    const isWhole = fields['organization'] === 'yes';
    const kept = [fields['optional'] ?? []].flat();
    const isGranted = (scope: string) => !request.optional?.includes(scope) || kept.includes(scope);
    const target = isAllowed
      ? oauth.allow(
          { ...request, scopes: request.scopes.filter(isGranted) },
          String(fields['user']),
          isWhole,
        )
      : oauth.deny(request);
    return context.redirect(target);
  });

  page.onError((error, context) => {
    if (!(error instanceof ApiError)) throw error;
    return context.html(
      html`<!doctype html><title>Not installed</title><p>The app can't be installed:
        <code>${error.code}</code></p>`,
      400,
    );
  });
  return page;
}
