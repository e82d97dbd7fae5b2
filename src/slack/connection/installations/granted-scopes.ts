import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import { type AppScopes, grantedSentence, missingScopes } from '../../../config/app-scopes.ts';
import { featureOf } from '../../../config/scope-features.ts';
import { isSlackError } from '../../posting/slack-failure.ts';

export type GrantedScopes = ReturnType<typeof createGrantedScopes>;

type GrantedDeps = {
  scopes: AppScopes;
  /** Scopes from the installation by OAuth, until Slack's first answer names the current ones. */
  stored(): readonly string[] | undefined;
  logger: Logger;
  /** ID of the workspace, for the log. Undefined if the app serves only one. */
  teamId?: string | undefined;
};

/**
 * Tracks the scopes that Slack granted in one workspace. Every answer of the Web API names them in the header
 * `x-oauth-scopes`. Logs once what is missing, and once when nothing is.
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
    /** Returns a number for the call that begins. */
    begin: () => ++calls,

    /** Learns the scopes from an answer's `x-oauth-scopes` header. Ignores it if a later call was answered first. */
    learn(header: string | null, call: number): void {
      if (header === null || call < newestCall) return;
      newestCall = call;
      answered = header.split(/\s*,\s*/).filter(Boolean);
      logChange();
    },

    /**
     * Returns true if the scope is granted. Also returns true while nothing is known, because Slack then names missing
     * scopes.
     */
    has(scope: string): boolean {
      const granted = answered ?? stored();
      return granted === undefined || granted.includes(scope);
    },

    missing,
  };
}

/** Optional scope by method. Without its scope, the method's feature is off. */
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
 * Returns the answer that Slack would give to a call without its optional scope, to save that call. Returns undefined
 * for other calls.
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
 * Calls Slack once an hour in every workspace, also in those where nothing happens. The client learns the granted scopes
 * from the answer.
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
