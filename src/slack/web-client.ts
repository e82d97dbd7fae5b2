import { type WebAPICallResult, WebClient, type WebClientOptions } from '@slack/web-api';
import type { Logger } from '../lib/logger.ts';
import { createBoltLogger } from './bolt-logger.ts';
import { createTokenWatch, type TokenWatch } from './token-watch.ts';

type WebClientParts = { botToken: string; apiUrl: string; logger: Logger; watch?: TokenWatch };

/**
 * The client reads an answer's body where it looks out for no error: a connection that breaks there, or a deadline, would
 * be an error that nothing knows. Read here, it is one of the request like any other.
 */
const fetchWhole: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init);
  const { status, statusText, headers } = answer;
  return new Response(await answer.arrayBuffer(), { status, statusText, headers });
};

/** For what a person waits for: few and short retries. Rate limits are reported, not waited out in secret. */
export function listenerClientOptions(slackApiUrl: string): WebClientOptions {
  return {
    slackApiUrl,
    fetch: fetchWhole,
    retryConfig: { retries: 2, minTimeout: 300, maxTimeout: 2_000 },
    rejectRateLimitedCalls: true,
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
    // Less than following waits before it believes that a post has left nothing.
    timeout: 6_000,
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
