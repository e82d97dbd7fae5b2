import { readBaseUrl } from './base-url.ts';
import type { ApiRequest, CallOptions } from './call-options.ts';
import { type ApiCall, createApiCalls } from './http/api-calls.ts';
import { type ClientLogger, createCaller, type OnAttempt } from './http/caller.ts';
import type { HttpMethod } from './http/exchange.ts';
import { type ApiKey, createKeyReader } from './http/key-reader.ts';
import { createServiceClock } from './http/service-clock.ts';
import { createTransport, type Proxies, type RunsDispatcher } from './http/transport.ts';
import { createArtifactCalls } from './runs/artifact-calls.ts';
import { createRunsCalls } from './runs/runs-calls.ts';
import { createScheduleCalls } from './runs/schedule-calls.ts';
import type { UsageQuery } from './usage-report.ts';

export type RunsClientOptions = {
  /** Base URL, which ends in `/api/v1`. */
  baseUrl: string;
  /** Allows `http:` to other machines, which sends the key unencrypted; `false` by default. */
  allowHttp?: boolean | undefined;
  /** The API key, or a function that returns it and is called before every attempt. */
  apiKey: ApiKey;
  /** Time limit of a whole call with its retries, in ms; 60 s by default. */
  timeoutMs?: number | undefined;
  /** Number of times that a failed call is repeated; 2 by default. */
  maxRetries?: number | undefined;
  /** Your own undici dispatcher, which you close. By default the client has its own pool. */
  dispatcher?: RunsDispatcher | undefined;
  /** Proxies of the client's own pool. None by default. */
  proxies?: Proxies | undefined;
  logger?: ClientLogger | undefined;
  /** Function that is called after each attempt, for metrics. */
  onAttempt?: OnAttempt | undefined;
  userAgent?: string | undefined;
  /** Size limit of responses in bytes. Larger ones fail with `bad_response`; 4 MiB by default. */
  maxReplyBytes?: number | undefined;
  /** Time in ms after a lost response in which the service may still create the run; 30 s by default. */
  settleMs?: number | undefined;
  /** True if the service supports `Idempotency-Key`. Create requests are then repeated like other calls. */
  isIdempotent?: boolean | undefined;
};

export type RunsClient = ReturnType<typeof createRunsClient>;

/**
 * Type of the same calls as functions that return plain promises. Modules that only await results depend on this type.
 */
export type Promised<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...args: infer Args) => ApiCall<infer Answer>
    ? (...args: Args) => Promise<Answer>
    : Calls[Name];
};

type ExtraOptions = Omit<ApiRequest, 'method' | 'path'> & CallOptions;

/**
 * Creates a client of the Cloud Agent Runs API.
 * @throws TypeError if the base URL is invalid, or would send the key unencrypted
 */
export function createRunsClient(options: RunsClientOptions) {
  const base = readBaseUrl(options.baseUrl, options.allowHttp ?? false);
  const { timeoutMs = 60_000, maxRetries = 2, settleMs = 30_000, isIdempotent = false } = options;
  const transport = createTransport({
    origin: base.origin,
    maxReplyBytes: options.maxReplyBytes ?? 4 * 1024 * 1024,
    dispatcher: options.dispatcher,
    proxies: options.proxies,
  });
  const clock = createServiceClock();
  const caller = createCaller({
    transport,
    clock,
    basePath: base.path,
    readKey: createKeyReader(options.apiKey),
    userAgent: options.userAgent ?? 'slash-agent-runs-client',
    timeoutMs,
    maxRetries,
    logger: options.logger,
    onAttempt: options.onAttempt,
  });
  const calls = createApiCalls(caller);
  const callWith =
    (method: HttpMethod) =>
    (path: string, extra: ExtraOptions = {}) =>
      calls.untyped({ ...extra, method, path }, extra);

  return {
    runs: createRunsCalls(caller, calls, clock, { timeoutMs, maxRetries, settleMs, isIdempotent }),
    artifacts: createArtifactCalls(calls, {
      origin: base.origin,
      transport,
    }),
    /** Schedules that start runs. Services may lack them (`not_found`). */
    schedules: createScheduleCalls(calls, isIdempotent),
    environments: {
      list: (call?: CallOptions) =>
        calls.typed(
          { method: 'GET', path: '/agent/environments' },
          async () => (await import('./contract.ts')).listEnvironmentsResponseSchema,
          call,
        ),
    },
    agents: {
      list: (call?: CallOptions) =>
        calls.typed(
          { method: 'GET', path: '/agent' },
          async () => (await import('./contract.ts')).listAgentsResponseSchema,
          call,
        ),
    },
    /** Cost and tokens of model calls. An extension that services may lack (`not_found`). */
    usage: (query: UsageQuery = {}, call?: CallOptions) =>
      calls.typed(
        { method: 'GET', path: '/agent/usage', query },
        async () => (await import('./usage-report.ts')).usageReportSchema,
        call,
      ),
    /** Sends a request to any endpoint, even one that this client has no method for. */
    request: (request: ApiRequest & CallOptions) => calls.untyped(request, request),
    get: callWith('GET'),
    post: callWith('POST'),
    put: callWith('PUT'),
    patch: callWith('PATCH'),
    delete: callWith('DELETE'),
    /** Ends all calls, and closes the pool unless you passed `dispatcher`. */
    close: () => transport.close(),
  };
}

/**
 * Reads the client's options from environment variables. Uses `RUNS_API_URL`, `RUNS_API_KEY` and `RUNS_API_ALLOW_HTTP`.
 * Also uses the proxies in `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, or their lowercase names.
 * @throws TypeError if the URL or the key is missing
 */
export function readRunsClientOptions(
  env: Readonly<Record<string, string | undefined>>,
): Pick<RunsClientOptions, 'baseUrl' | 'apiKey' | 'allowHttp' | 'proxies'> {
  const { RUNS_API_URL: baseUrl, RUNS_API_KEY: apiKey } = env;
  if (!baseUrl)
    throw new TypeError('RUNS_API_URL is not set: set it to the base URL, which ends in /api/v1');
  if (!apiKey) throw new TypeError('RUNS_API_KEY is not set: create a key and set it');
  const either = (name: string) => env[name.toLowerCase()] ?? env[name];
  const proxies = {
    httpProxy: either('HTTP_PROXY'),
    httpsProxy: either('HTTPS_PROXY'),
    noProxy: either('NO_PROXY'),
  };
  return { baseUrl, apiKey, allowHttp: env['RUNS_API_ALLOW_HTTP'] === 'true', proxies };
}
