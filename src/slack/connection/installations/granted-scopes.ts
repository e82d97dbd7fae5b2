import type { Logger } from 'base/logger';
import { type AppScopes, grantedSentence, missingScopes } from '../../../config/app-scopes.ts';
import { featureOf } from '../../../config/scope-features.ts';

export type GrantedScopes = ReturnType<typeof createGrantedScopes>;

type GrantedParts = {
  scopes: AppScopes;
  /** Stored when the app was installed by OAuth. Slack's newest answer takes precedence. */
  stored(): readonly string[] | undefined;
  logger: Logger;
  /** With many workspaces. */
  teamId?: string | undefined;
};

/**
 * Scopes that Slack granted in one workspace. Every answer of the Web API names them, in the header `x-oauth-scopes`.
 * Logs once what is missing, and once when all are there.
 */
export function createGrantedScopes({ scopes, stored, logger, teamId }: GrantedParts) {
  const where = teamId === undefined ? {} : { teamId };
  let known: readonly string[] | undefined;
  let calls = 0;
  let newestCall = 0;
  let logged = '';

  const missing = () => {
    const granted = known ?? stored() ?? [...scopes.required, ...scopes.optional];
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
    /** @returns the number of the new call */
    begin: () => ++calls,

    /** @param header `x-oauth-scopes` of the answer to a call. After a later call's answer, it changes nothing. */
    learn(header: string | null, call: number): void {
      if (header === null || call < newestCall) return;
      newestCall = call;
      known = header.split(/\s*,\s*/).filter(Boolean);
      logChange();
    },

    /** True while nothing is known: then Slack says what is missing. */
    has(scope: string): boolean {
      const granted = known ?? stored();
      return granted === undefined || granted.includes(scope);
    },

    missing,
  };
}
