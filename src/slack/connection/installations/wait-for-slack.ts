import { WebAPIHTTPError } from '@slack/web-api';
import { ExplainedError } from 'base/explained-error';
import type { Logger } from 'base/logger';
import { keepTrying } from 'base/time/keep-trying';
import { needsAdmin, readSlackFailure } from '../../posting/slack-failure.ts';

export type SlackWait = { signal: AbortSignal; logger: Logger; firstWaitMs?: number | undefined };

/**
 * Makes a call, and repeats it while Slack can't be reached.
 * @param token name of the variable with the token, for the error
 * @returns undefined when the signal aborts first
 * @throws ExplainedError when waiting can't help
 */
export async function waitForSlack<T>(
  call: () => Promise<T>,
  token: keyof typeof help,
  { signal, logger, firstWaitMs }: SlackWait,
): Promise<T | undefined> {
  try {
    return await keepTrying(call, {
      signal,
      firstWaitMs,
      leastWaitMs,
      onWaiting: (error) =>
        logger.warn(
          { reason: readSlackFailure(error).reason },
          "Slack can't be reached; trying again. Check the network and SLACK_API_URL.",
        ),
    });
  } catch (error) {
    throw explained(error, token);
  }
}

function leastWaitMs(error: unknown): number | undefined {
  if (isWrongUrl(error)) return undefined;
  const trouble = readSlackFailure(error);
  const isFinal = trouble.outcome === 'rejected' || needsAdmin(trouble.reason);
  return isFinal ? undefined : trouble.retryAfterMs;
}

const isWrongUrl = (error: unknown): boolean =>
  error instanceof WebAPIHTTPError && error.statusCode === 404;

const help = {
  SLACK_BOT_TOKEN:
    'Check SLACK_BOT_TOKEN: install the app in the workspace and copy the Bot User OAuth Token.',
  SLACK_APP_TOKEN:
    'Check SLACK_APP_TOKEN: create an app-level token with the scope connections:write and turn on Socket Mode.',
};

function explained(error: unknown, token: keyof typeof help): ExplainedError {
  if (isWrongUrl(error)) {
    return new ExplainedError('There is no Slack Web API at SLACK_API_URL (404). Check the URL.', {
      cause: error,
    });
  }
  const { reason } = readSlackFailure(error);
  const message = `Slack rejected the token (${reason}). ${help[token]}`;
  return new ExplainedError(message, { cause: error });
}
