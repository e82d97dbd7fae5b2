import { WebAPIPlatformError } from '@slack/web-api';
import type { Logger } from 'base/logger';
import { isOptionalScope } from '../../../config/scope-features.ts';
import { needsAdmin } from '../../posting/slack-failure.ts';

export type TokenWatch = ReturnType<typeof createTokenWatch>;

const aScope = 'missing_scope';
const everything = '*';

/**
 * Creates a watch that logs once when Slack starts rejecting the token or lacks a scope. Also logs once when calls work
 * again.
 * @param workspace its ID and the address for installing the app again, only with OAuth
 */
export function createTokenWatch(
  logger: Logger,
  workspace?: { teamId: string; installUrl: string },
) {
  const { tokenIsRejected, scopeIsMissing } = sentences(workspace?.installUrl);
  const where = workspace && { teamId: workspace.teamId };
  /** Methods that Slack rejects, each with the number of the latest call before the rejection. */
  const closed = new Map<string, number>();
  let calls = 0;
  return {
    /** Returns a number for a call that begins. Later calls have higher numbers. */
    begin: () => ++calls,

    /** Notes that Slack accepted a call. Ignores calls that began before the rejection, because they prove nothing. */
    accepted(method: string, call: number): void {
      if (closed.size === 0) return;
      const over = [everything, method].filter((each) => (closed.get(each) ?? call) < call);
      for (const each of over) closed.delete(each);
      if (over.length > 0)
        logger.info({ ...where, method }, 'Slack accepts calls again; waiting work continues');
    },

    rejected(method: string, error: unknown): void {
      if (!(error instanceof WebAPIPlatformError)) return;
      const { error: reason } = error.data;
      if (!needsAdmin(reason)) return;
      const needed = 'needed' in error.data ? String(error.data.needed) : undefined;
      if (needed !== undefined && isOptionalScope(needed)) return;
      if (reason === aScope) close(method, { reason, method, needed }, scopeIsMissing);
      else close(everything, { reason, method }, tokenIsRejected);
    },

    /** Notes Slack's announcement that it will reject all calls from now on. */
    revoked(reason: 'app_uninstalled' | 'tokens_revoked'): void {
      close(everything, { reason }, tokenIsRejected);
    },
  };

  function close(what: string, about: object, sentence: string): void {
    if (closed.has(what)) return;
    closed.set(what, calls);
    logger.error({ ...where, ...about }, sentence);
  }
}

const waits = 'Messages wait and are retried every minute. Nothing is lost.';

const sentences = (installUrl: string | undefined) => ({
  tokenIsRejected: `Slack rejects the bot token: it was revoked, or the app was uninstalled. Runs continue, but their messages don't update. ${waits} ${
    installUrl === undefined
      ? 'Install the app in the workspace again, set SLACK_BOT_TOKEN to the Bot User OAuth Token, and restart the bot.'
      : `Ask an admin of the workspace to install the app again at ${installUrl}.`
  }`,
  scopeIsMissing: `The app lacks a Slack scope. ${waits} ${
    installUrl === undefined
      ? 'Update the app with the output of slash-agent manifest and reinstall it. If the token stays the same, the bot continues automatically.'
      : `Update the app with the output of slash-agent manifest, and ask an admin of the workspace to open the app's Home tab or ${installUrl}.`
  }`,
});
