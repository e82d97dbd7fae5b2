import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import { isSlackError } from '../../posting/slack-failure.ts';

type CheckParts = {
  installations: { servedTeams(): Promise<readonly string[]> };
  clientOf(teamId: string): Pick<WebClient, 'auth'>;
  logger: Logger;
};

const everyMs = 60 * 60_000;
const afterFailureMs = 60_000;

/**
 * Calls Slack once an hour in every workspace, also in those where nothing happens. The client learns the granted scopes
 * from the answer.
 */
export function createScopeChecks({ installations, clientOf, logger }: CheckParts): Loop {
  return new Loop(async (signal) => {
    try {
      for (const teamId of await installations.servedTeams()) {
        if (signal.aborted) return 0;
        await clientOf(teamId).auth.test().catch(ignoreSlack);
      }
      return everyMs;
    } catch (error) {
      logger.warn({ err: error }, "couldn't check the granted scopes, trying again");
      return afterFailureMs;
    }
  });
}

/** Other calls fail in the same way, and say so. */
function ignoreSlack(error: unknown): void {
  if (!isSlackError(error)) throw error;
}
