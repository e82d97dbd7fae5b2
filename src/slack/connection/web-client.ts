import type { Logger as BoltLogger } from '@slack/bolt';
import { type WebAPICallResult, WebClient, type WebClientOptions } from '@slack/web-api';
import type { Logger } from '../../lib/logger.ts';
import { createSlackClock, type SlackClock } from '../posting/slack-clock.ts';
import { createBoltLogger } from './bolt-logger.ts';
import { createSlackFetch } from './slack-fetch.ts';
import { createTokenWatch, type TokenWatch } from './token-watch.ts';

type WebClientParts = {
  botToken: string;
  apiUrl: string;
  logger: Logger;
  watch?: TokenWatch;
  clock?: SlackClock;
  /** Aborts pending calls and all later ones. */
  stopping?: AbortSignal;
};

/** Less than the follower waits before it treats a post as lost. */
const callTimeoutMs = 6_000;

/** For calls that a person waits for: few and short retries. Rate limits are reported, not waited for silently. */
export function listenerClientOptions(
  slackApiUrl: string,
  stopping?: AbortSignal,
): WebClientOptions {
  return {
    slackApiUrl,
    fetch: createSlackFetch(stopping),
    retryConfig: { retries: 2, minTimeout: 300, maxTimeout: 2_000 },
    rejectRateLimitedCalls: true,
    timeout: callTimeoutMs,
  };
}

/** For posts and updates. No automatic retries: a repeated post is a second message. */
export function createWebClient({
  botToken,
  apiUrl,
  logger,
  watch = createTokenWatch(logger),
  clock = createSlackClock(),
  stopping,
}: WebClientParts): WebClient {
  const slackFetch = createSlackFetch(stopping);
  return new WatchedClient({ watch, clock }, botToken, {
    slackApiUrl: apiUrl,
    fetch: async (input, init) => {
      const answer = await slackFetch(input, init);
      clock.readDate(answer.headers.get('date'));
      return answer;
    },
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: callTimeoutMs,
    logger: withoutFailedCalls(createBoltLogger(logger)),
  });
}

/** Callers log what a failure means, once instead of for each attempt. */
function withoutFailedCalls(logger: BoltLogger): BoltLogger {
  return {
    ...logger,
    warn: (...parts) => {
      if (parts[0] !== 'http request failed') logger.warn(...parts);
    },
  };
}

type Watchers = { watch: TokenWatch; clock: SlackClock };

class WatchedClient extends WebClient {
  readonly #watch: TokenWatch;
  readonly #clock: SlackClock;

  constructor({ watch, clock }: Watchers, token: string, options: WebClientOptions) {
    super(token, options);
    this.#watch = watch;
    this.#clock = clock;
  }

  override async apiCall(
    method: string,
    options?: Record<string, unknown>,
  ): Promise<WebAPICallResult> {
    const call = this.#watch.begin();
    try {
      const result = await super.apiCall(method, options);
      this.#watch.accepted(method, call);
      const ts = 'ts' in result ? result['ts'] : undefined;
      if (method === 'chat.postMessage' && typeof ts === 'string') this.#clock.readTs(ts);
      return result;
    } catch (error) {
      this.#watch.refused(method, error);
      throw error;
    }
  }
}
