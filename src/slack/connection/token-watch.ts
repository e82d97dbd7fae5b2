import { WebAPIPlatformError } from '@slack/web-api';
import type { Logger } from '../../lib/logger.ts';
import { isAdminsToMend } from '../posting/slack-outcomes.ts';

export type TokenWatch = ReturnType<typeof createTokenWatch>;

const aScope = 'missing_scope';
const everything = '*';

/**
 * Tells whoever runs the bot what Slack lets it do no more, once and not at every try, and when that is over. A token that
 * was never accepted is said at the start, which ends then.
 */
export function createTokenWatch(logger: Logger) {
  /** Since which call. */
  const closed = new Map<string, number>();
  let calls = 0;
  let wasAccepted = false;
  return {
    /** Answers the number of the call that begins now. */
    begin: () => ++calls,

    /** A call that was on its way when Slack closed the door says nothing about the door. */
    accepted(method: string, call: number): void {
      wasAccepted = true;
      if (closed.size === 0) return;
      const over = [everything, method].filter((each) => (closed.get(each) ?? call) < call);
      for (const each of over) closed.delete(each);
      if (over.length > 0)
        logger.info({ method }, 'Slack takes this again; what has waited for it goes on');
    },

    refused(method: string, error: unknown): void {
      if (!wasAccepted || !(error instanceof WebAPIPlatformError)) return;
      const { error: reason } = error.data;
      if (!isAdminsToMend(reason)) return;
      const needed = 'needed' in error.data ? String(error.data.needed) : undefined;
      if (reason === aScope) close(method, { reason, method, needed }, scopeIsMissing);
      else close(everything, { reason, method }, tokenIsRefused);
    },

    /** Slack says by itself what every call would be told from now on. */
    heard(reason: 'app_uninstalled' | 'tokens_revoked'): void {
      close(everything, { reason }, tokenIsRefused);
    },
  };

  function close(what: string, about: object, sentence: string): void {
    if (closed.has(what)) return;
    closed.set(what, calls);
    logger.error(about, sentence);
  }
}

const waits = 'What cannot be written waits and is tried again every minute; nothing is lost.';

const tokenIsRefused = `Slack refuses the bot token: it was revoked, or the app uninstalled. Runs go on, and their messages stand still. ${waits} Install the app in the workspace again, set SLACK_BOT_TOKEN to its Bot User OAuth Token, and restart the bot.`;

const scopeIsMissing = `The app may not do this in Slack, since it lacks a scope. ${waits} Update the app with what npm run manifest prints (it has every scope of manifest.yml) and reinstall it. If the token stays the same, the bot continues automatically.`;
