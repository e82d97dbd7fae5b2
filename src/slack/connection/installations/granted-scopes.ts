import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import { type AppScopes, grantedSentence, missingScopes } from '../../../config/app-scopes.ts';
import { featureOf } from '../../../config/scope-features.ts';
import { isSlackError } from '../../posting/slack-failure.ts';

export type GrantedScopes = ReturnType<typeof createGrantedScopes>;

type GrantedDeps = {
  scopes: AppScopes;
  /** Returns the scopes from the installation by OAuth. Used until Slack's first response names the current ones. */
  stored(): readonly string[] | undefined;
  logger: Logger;
  /** ID of the workspace, for the log. Undefined if the app serves only one. */
  teamId?: string | undefined;
};

/**
 * Tracks the scopes that Slack granted in one workspace. Every Web API response names them in the header
 * `x-oauth-scopes`. Logs which scopes are missing whenever that changes.
 */
export function createGrantedScopes({ scopes, stored, logger, teamId }: GrantedDeps) {
  const where = teamId === undefined ? {} : { teamId };
  let answered: readonly string[] | undefined;
  let calls = 0;
  let newestCall = 0;
  let logged = '';

  const missing = () => {
    const granted = answered ?? stored() ?? [...scopes.required, ...scopes.optional];
    return missingScopes(scopes, granted);
  };

  function logChange(): void {
    const now = missing();
    const { required, optional } = now;
    const state = [...required, '', ...optional].join(' ').trim();
    if (state === logged) return;
    logged = state;
    const counts = grantedSentence(now);
    if (required.length > 0)
      logger.error(
        { ...where, missing: required },
        `${counts}: reinstall the app under Install App. Until then, some messages wait.`,
      );
    else if (optional.length > 0)
      logger.info(
        { ...where, missing: optional, off: optional.map(featureOf) },
        `${counts}, and all that are required. Features that need the others are off.`,
      );
    else logger.info(where, 'Slack granted all scopes');
  }

  return {
    /** Returns a number for a call that begins. Later calls have higher numbers. */
    begin: () => ++calls,

    /**
     * Reads the scopes from a response's `x-oauth-scopes` header. Ignores the header if a later call was answered
     * first.
     */
    learn(header: string | null, call: number): void {
      if (header === null || call < newestCall) return;
      newestCall = call;
      answered = header.split(/\s*,\s*/).filter(Boolean);
      logChange();
    },

    /**
     * Returns true if the scope is granted. Also returns true while the scopes aren't known, because Slack then rejects
     * the call and names missing scopes.
     */
    has(scope: string): boolean {
      const granted = answered ?? stored();
      return granted === undefined || granted.includes(scope);
    },

    missing,
  };
}

/** Optional scope that each method needs. Without its scope, the method's feature is off. */
const scopeOf: Readonly<Record<string, string>> = {
  'assistant.threads.setSuggestedPrompts': 'assistant:write',
  'conversations.join': 'channels:join',
  'files.completeUploadExternal': 'files:write',
  'files.getUploadURLExternal': 'files:write',
  'files.info': 'files:read',
  'reactions.add': 'reactions:write',
  'reactions.remove': 'reactions:write',
  'usergroups.list': 'usergroups:read',
  'usergroups.users.list': 'usergroups:read',
};

/**
 * Returns Slack's `missing_scope` error for a method with an optional scope that isn't granted. This saves a call that
 * Slack would reject. Returns undefined for other calls.
 */
export function denyUngranted(method: string, { has }: GrantedScopes): Response | undefined {
  const needed = scopeOf[method];
  if (needed === undefined || has(needed)) return undefined;
  return Response.json({ ok: false, error: 'missing_scope', needed });
}

type CheckDeps = {
  servedTeams(): Promise<readonly string[]>;
  /** Makes any call with the token of this workspace. */
  callIn(teamId: string): Promise<unknown>;
  logger: Logger;
};

const checkEveryMs = 60 * 60_000;
const afterFailureMs = 60_000;

/**
 * Creates a loop that calls Slack once an hour in every workspace, including those without activity. The client reads
 * the granted scopes from the response.
 */
export function createScopeChecks({ servedTeams, callIn, logger }: CheckDeps): Loop {
  return new Loop(async (signal) => {
    try {
      for (const teamId of await servedTeams()) {
        if (signal.aborted) return 0;
        await callIn(teamId).catch(ignoreSlack);
      }
      return checkEveryMs;
    } catch (error) {
      logger.warn({ err: error }, "couldn't check the granted scopes, trying again");
      return afterFailureMs;
    }
  });
}

/** Ignores Slack's errors, because other calls log them. */
function ignoreSlack(error: unknown): void {
  if (!isSlackError(error)) throw error;
}
