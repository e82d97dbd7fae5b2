import { type WebAPICallResult, WebClient, type WebClientOptions } from '@slack/web-api';
import type { Logger } from '../lib/logger.ts';
import { createBoltLogger } from './bolt-logger.ts';
import { SlackUnreachable } from './slack-trouble.ts';
import { createTokenWatch, type TokenWatch } from './token-watch.ts';

type WebClientParts = { botToken: string; apiUrl: string; logger: Logger; watch?: TokenWatch };

/**
 * Reads the whole body, so that a connection that breaks in the middle fails the request: the client's own read of the
 * body handles no errors. A failure gets a type of its own: `fetch` throws a TypeError, as a bug of ours would.
 */
const fetchWhole: typeof fetch = async (input, init) => {
  try {
    const answer = await fetch(input, init);
    const { status, statusText, headers } = answer;
    return new Response(await answer.arrayBuffer(), { status, statusText, headers });
  } catch (cause) {
    throw new SlackUnreachable(cause);
  }
};

/** Less than following waits before it takes a post for lost. */
const callTimeoutMs = 6_000;

/** For what a person waits for: few and short retries. Rate limits are reported, not waited out in secret. */
export function listenerClientOptions(slackApiUrl: string): WebClientOptions {
  return {
    slackApiUrl,
    fetch: fetchWhole,
    retryConfig: { retries: 2, minTimeout: 300, maxTimeout: 2_000 },
    rejectRateLimitedCalls: true,
    timeout: callTimeoutMs,
  };
}

/** For posts and updates: never repeated behind our back, since a repeated post is a second message. */
export function createWebClient({
  botToken,
  apiUrl,
  logger,
  watch = createTokenWatch(logger),
}: WebClientParts): WebClient {
  return new WatchedClient(watch, botToken, {
    slackApiUrl: apiUrl,
    fetch: fetchWhole,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: callTimeoutMs,
    logger: createBoltLogger(logger),
  });
}

class WatchedClient extends WebClient {
  readonly #watch: TokenWatch;

  constructor(watch: TokenWatch, token: string, options: WebClientOptions) {
    super(token, options);
    this.#watch = watch;
  }

  override async apiCall(
    method: string,
    options?: Record<string, unknown>,
  ): Promise<WebAPICallResult> {
    const call = this.#watch.begin();
    try {
      const result = await super.apiCall(method, options);
      this.#watch.accepted(method, call);
      return result;
    } catch (error) {
      this.#watch.refused(method, error);
      throw error;
    }
  }
}
