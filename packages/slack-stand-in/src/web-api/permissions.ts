import { wholeOrganization } from '../installing/installing.ts';
import type { JsonObject } from '../lib/json.ts';
import { findChannel, findPerson } from '../world/directory.ts';
import type { Installation, World } from '../world/world.ts';
import { ApiError } from './api-error.ts';
import type { Method } from './method.ts';

/** Errors of all methods, from the common errors in the Web API reference. */
export const commonErrors: ReadonlySet<string> = new Set([
  'unknown_method',
  'not_authed',
  'invalid_auth',
  'token_revoked',
  'token_expired',
  'account_inactive',
  'not_allowed_token_type',
  'missing_scope',
  'missing_argument',
  'team_access_not_granted',
  'invalid_arguments',
  'ratelimited',
]);

/** Placeholder for the installation in methods that require no bot token. */
const noInstallation: Installation = {
  teamId: '',
  botToken: '',
  botUserId: '',
  botId: '',
  scopes: [],
  installedBy: '',
  status: 'active',
};

export type Authorize = (
  method: Method,
  token: string | undefined,
  args: JsonObject,
) => Installation;

/**
 * Creates the function that returns the installation of a token. It throws Slack's errors if the token can't call the
 * method. `stepTokens` come with `function_executed` and act for their team's installation.
 */
export function createAuthorize(
  world: World,
  stepTokens: { teamOf(token: string): string | undefined },
): Authorize {
  return (method, token, args) => {
    if (method.token === 'none') return noInstallation;
    if (!token) throw new ApiError('not_authed');
    if (method.token === 'app') {
      if (token === world.app.appToken) return noInstallation;
      throw new ApiError(token.startsWith('xoxb-') ? 'not_allowed_token_type' : 'invalid_auth');
    }
    if (token === world.app.appToken) throw new ApiError('not_allowed_token_type');
    const stepTeam = stepTokens.teamOf(token);
    const installations = world.installations.filter((each) =>
      stepTeam ? each.teamId === stepTeam : each.botToken === token,
    );
    const installation = installations.at(-1);
    if (!installation) throw new ApiError('invalid_auth');
    if (!installation.enterpriseId) return check(installation, method);
    const whole = installations.find(({ teamId }) => teamId === wholeOrganization) ?? installation;
    check(whole, method);
    const teamId = stepTeam ?? requestedTeam(world, method, args);
    if (teamId === undefined) return whole;
    const inTeam = installations.findLast((each) => each.teamId === teamId);
    if (inTeam?.status !== 'active') throw new ApiError('team_access_not_granted');
    return inTeam;
  };
}

function check(installation: Installation, method: Method): Installation {
  if (installation.status === 'revoked') throw new ApiError('token_revoked');
  if (installation.status === 'uninstalled') throw new ApiError('account_inactive');
  const { expiresSeconds } = installation;
  if (expiresSeconds !== undefined && expiresSeconds * 1000 <= Date.now()) {
    throw new ApiError('token_expired');
  }
  requireScope(installation, method.scopes);
  return installation;
}

/** Methods whose reference requires `team_id` with an organization's token. */
const needTeam = new Set([
  ...['bots.info', 'conversations.list', 'usergroups.list', 'usergroups.users.list'],
  ...['users.conversations', 'users.list'],
]);

/** Returns the team that a call with an organization's token names, directly or by its channel. */
function requestedTeam(world: World, { name }: Method, args: JsonObject): string | undefined {
  const { team_id: teamId, channel } = args;
  if (typeof teamId === 'string') return teamId;
  if (needTeam.has(name)) throw new ApiError('missing_argument');
  if (typeof channel !== 'string') return undefined;
  return findChannel(world, channel)?.teamId ?? findPerson(world, channel)?.teamId;
}

/**
 * Throws `missing_scope` unless one of the scopes is granted. As in Slack, the error lists needed and granted scopes.
 * It uses an older name for the scope to post, which no app can request. Source:
 * https://github.com/slackapi/bolt-js/issues/2182
 */
export function requireScope(installation: Installation, scopes: readonly string[]): void {
  const isGranted = scopes.some((each) => installation.scopes.includes(each));
  if (scopes.length === 0 || isGranted) return;
  const provided = installation.scopes.join(',');
  const needed = scopes.map((scope) => (scope === 'chat:write' ? 'chat:write:bot' : scope));
  throw new ApiError('missing_scope', { needed: needed.join(','), provided });
}
