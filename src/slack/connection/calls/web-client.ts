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
import { denyUngranted } from '../installations/granted-scopes.ts';
import type { Tokens } from '../installations/installations.ts';
import type { TokenWatch } from '../installations/token-watch.ts';
import { markWorkspace } from '../workspace-marks.ts';
import { createSlackFetch, methodOf, type OnSlackCall } from './slack-fetch.ts';

type WebClientDeps = {
  tokens: Tokens;
  apiUrl: string;
  logger: Logger;
  /** Watch that logs once when Slack rejects the token. */
  watch?: TokenWatch;
  /** Scopes that Slack granted, updated with each response. */
  granted?: GrantedScopes;
  clock?: SlackClock;
  /** Signal that aborts pending calls and all later ones. */
  stopping?: AbortSignal;
  onSlackCall?: OnSlackCall;
  /** ID of the workspace. Slack requires it with an organization's token. */
  teamId?: string;
  callTimeoutMs?: number | undefined;
};

/** Timeout of a call, in ms. It's less than the time after which the follower treats a post as lost. */
const defaultTimeoutMs = 6_000;

/**
 * Returns options for calls that a person waits for, with few and short retries. Rate-limited calls fail at once,
 * because the client would wait silently.
 */
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

/** Wraps a `fetch` so that it reads the token for each call, because the token can change. */
const withToken =
  (tokens: Tokens, slackFetch: typeof fetch): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${await tokens.read()}`);
    return slackFetch(input, { ...init, headers });
  };

/** Creates the client for calls that a person waits for. */
export const createPromptClient = (deps: WebClientDeps): WebClient =>
  createClient(deps, createBoltLogger(deps.logger), {});

/** Creates the client for posts and updates. It doesn't retry, because a repeated post is a second message. */
export const createWebClient = (deps: WebClientDeps): WebClient =>
  createClient(deps, withoutFailedCalls(createBoltLogger(deps.logger)), {
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
  }: WebClientDeps,
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
        const rejected = granted && denyUngranted(methodOf(input), granted);
        if (rejected) return rejected;
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

/** Returns the logger without lines about failed calls, because callers log what a failure means. */
function withoutFailedCalls(logger: BoltLogger): BoltLogger {
  const warn = (...parts: unknown[]) => {
    if (parts[0] !== 'http request failed') logger.warn(...parts);
  };
  return { ...logger, warn, error: warn };
}

const rejections = new Set(['invalid_auth', 'token_expired', 'token_revoked', 'account_inactive']);

const isRejection = (error: unknown): boolean =>
  error instanceof WebAPIPlatformError && rejections.has(error.data.error);

type WatchedDeps = {
  teamId: string;
  tokens: Tokens;
  watch: TokenWatch | undefined;
  granted: GrantedScopes | undefined;
  clock: SlackClock;
};

class WatchedClient extends WebClient {
  readonly #deps: WatchedDeps;

  constructor(deps: WatchedDeps, options: WebClientOptions) {
    super(undefined, options);
    this.#deps = deps;
  }

  override async apiCall(
    method: string,
    options?: Record<string, unknown>,
  ): Promise<WebAPICallResult> {
    const { teamId, watch, granted, clock } = this.#deps;
    const call = watch?.begin() ?? 0;
    try {
      const result = await this.#call(method, markWorkspace(options, teamId));
      watch?.accepted(method, call);
      const ts = 'ts' in result ? result['ts'] : undefined;
      if (method === 'chat.postMessage' && typeof ts === 'string') clock.readTs(ts);
      return result;
    } catch (error) {
      watch?.rejected(method, error);
      if (error instanceof WebAPIPlatformError && 'provided' in error.data)
        granted?.learn(String(error.data.provided), granted.begin());
      throw error;
    }
  }

  /**
   * Makes a call, and repeats it with another token if Slack rejects the first. That is safe, because Slack does
   * nothing with a rejected token.
   */
  async #call(method: string, options?: Record<string, unknown>): Promise<WebAPICallResult> {
    const { tokens } = this.#deps;
    const token = await tokens.read();
    try {
      return await super.apiCall(method, options);
    } catch (error) {
      const isReplaced = isRejection(error) && (await tokens.replace?.(token));
      if (!isReplaced) throw error;
      return super.apiCall(method, options);
    }
  }
}
