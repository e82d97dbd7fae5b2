import type { Logger as BoltLogger } from '@slack/bolt';
import {
  type WebAPICallResult,
  WebAPIPlatformError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api';
import type { Logger } from 'base/logger';
import { createSlackClock, type SlackClock } from '../../posting/slack-clock.ts';
import { createBoltLogger } from '../bolt-logger.ts';
import type { GrantedScopes } from '../installations/granted-scopes.ts';
import { refuseUngranted } from '../installations/granted-scopes.ts';
import type { Tokens } from '../installations/installations.ts';
import type { TokenWatch } from '../installations/token-watch.ts';
import { markWorkspace } from '../workspace-marks.ts';
import { createSlackFetch, methodOf, type OnSlackCall } from './slack-fetch.ts';

type WebClientParts = {
  tokens: Tokens;
  apiUrl: string;
  logger: Logger;
  /** Without it, a rejected token isn't logged. */
  watch?: TokenWatch;
  /** Learns from each answer. */
  granted?: Granted;
  clock?: SlackClock;
  /** Aborts pending calls and all later ones. */
  stopping?: AbortSignal;
  onSlackCall?: OnSlackCall;
  /** With an organization's token, Slack asks for it. */
  teamId?: string;
  callTimeoutMs?: number | undefined;
};

/** Less than the follower waits before it treats a post as lost. */
const defaultTimeoutMs = 6_000;

/** For calls that a person waits for: few and short retries. Rate limits are reported, not waited for silently. */
export function listenerClientOptions(
  slackApiUrl: string,
  stopping?: AbortSignal,
  onSlackCall?: OnSlackCall,
): WebClientOptions {
  return {
    slackApiUrl,
    fetch: createSlackFetch(stopping, onSlackCall),
    retryConfig: { retries: 2, minTimeout: 300, maxTimeout: 2_000 },
    rejectRateLimitedCalls: true,
    timeout: defaultTimeoutMs,
  };
}

/** The token is read for each call, because it can change. */
const withToken =
  (tokens: Tokens, slackFetch: typeof fetch): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${await tokens.read()}`);
    return slackFetch(input, { ...init, headers });
  };

/** For calls that a person waits for. */
export const createPromptClient = (parts: WebClientParts): WebClient =>
  createClient(parts, createBoltLogger(parts.logger), {});

/** For posts and updates. No automatic retries: a repeated post is a second message. */
export const createWebClient = (parts: WebClientParts): WebClient =>
  createClient(parts, withoutFailedCalls(createBoltLogger(parts.logger)), {
    retryConfig: { retries: 0 },
  });

function createClient(
  {
    tokens,
    apiUrl,
    watch,
    granted,
    clock = createSlackClock(),
    stopping,
    onSlackCall,
    teamId,
    callTimeoutMs = defaultTimeoutMs,
  }: WebClientParts,
  logger: BoltLogger,
  calls: Pick<WebClientOptions, 'retryConfig'>,
): WebClient {
  const slackFetch = createSlackFetch(stopping, onSlackCall);
  return new WatchedClient(
    { teamId: teamId ?? '', watch, granted, clock, tokens },
    {
      ...listenerClientOptions(apiUrl),
      ...calls,
      timeout: callTimeoutMs,
      ...(teamId && { teamId }),
      fetch: withToken(tokens, async (input, init) => {
        const refused = granted && refuseUngranted(methodOf(input), granted);
        if (refused) return refused;
        const call = granted?.begin() ?? 0;
        const answer = await slackFetch(input, init);
        clock.readDate(answer.headers.get('date'));
        granted?.learn(answer.headers.get('x-oauth-scopes'), call);
        return answer;
      }),
      logger,
    },
  );
}

/** Callers log what a failure means, once instead of for each attempt. Only Slack's words about a refused call are missing there. */
function withoutFailedCalls(logger: BoltLogger): BoltLogger {
  const warn = (...parts: unknown[]) => {
    if (parts[0] !== 'http request failed') logger.warn(...parts);
  };
  return { ...logger, warn, error: warn };
}

const rejections = new Set(['invalid_auth', 'token_expired', 'token_revoked', 'account_inactive']);

const isRejection = (error: unknown): boolean =>
  error instanceof WebAPIPlatformError && rejections.has(error.data.error);

type Granted = Pick<GrantedScopes, 'begin' | 'learn' | 'has'>;

type WatchedParts = {
  teamId: string;
  tokens: Tokens;
  watch: TokenWatch | undefined;
  granted: Granted | undefined;
  clock: SlackClock;
};

class WatchedClient extends WebClient {
  readonly #watch: TokenWatch | undefined;
  readonly #granted: Granted | undefined;
  readonly #clock: SlackClock;
  readonly #tokens: Tokens;
  readonly #teamId: string;

  constructor({ teamId, watch, granted, clock, tokens }: WatchedParts, options: WebClientOptions) {
    super(undefined, options);
    this.#teamId = teamId;
    this.#tokens = tokens;
    this.#watch = watch;
    this.#granted = granted;
    this.#clock = clock;
  }

  override async apiCall(
    method: string,
    options?: Record<string, unknown>,
  ): Promise<WebAPICallResult> {
    const call = this.#watch?.begin() ?? 0;
    try {
      const result = await this.#call(method, markWorkspace(options, this.#teamId));
      this.#watch?.accepted(method, call);
      const ts = 'ts' in result ? result['ts'] : undefined;
      if (method === 'chat.postMessage' && typeof ts === 'string') this.#clock.readTs(ts);
      return result;
    } catch (error) {
      this.#watch?.refused(method, error);
      if (error instanceof WebAPIPlatformError && 'provided' in error.data)
        this.#granted?.learn(String(error.data.provided), this.#granted.begin());
      throw error;
    }
  }

  /** Slack does nothing when it rejects the token, so any call can be repeated with another one. */
  async #call(method: string, options?: Record<string, unknown>): Promise<WebAPICallResult> {
    const token = await this.#tokens.read();
    try {
      return await super.apiCall(method, options);
    } catch (error) {
      const isReplaced = isRejection(error) && (await this.#tokens.replace?.(token));
      if (!isReplaced) throw error;
      return super.apiCall(method, options);
    }
  }
}
