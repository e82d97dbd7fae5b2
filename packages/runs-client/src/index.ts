import { createApiCalls } from './api-calls.ts';
import { readBaseUrl } from './base-url.ts';
import type { ApiRequest, CallOptions } from './call-options.ts';
import { type ClientLogger, createCaller } from './caller.ts';
import { listAgentsResponseSchema, listEnvironmentsResponseSchema } from './contract.ts';
import type { HttpMethod } from './exchange.ts';
import { type ApiKey, createKeyReader } from './key-reader.ts';
import { createRunsCalls } from './runs-calls.ts';
import { createServiceClock } from './service-clock.ts';
import { createTransport, type RunsDispatcher } from './transport.ts';

export type RunsClientOptions = {
  /** Ends in `/api/v1`. */
  baseUrl: string;
  /** A function is asked before every attempt. */
  apiKey: ApiKey;
  /** For a whole call with its retries; 60 s. */
  timeoutMs?: number | undefined;
  /** How often a failed call is sent again; 2. */
  maxRetries?: number | undefined;
  /** An undici dispatcher, such as a proxy, closed by its owner; without it the client keeps a pool of its own. */
  dispatcher?: RunsDispatcher | undefined;
  logger?: ClientLogger | undefined;
  userAgent?: string | undefined;
  /** Larger replies are refused; 4 MiB. */
  maxReplyBytes?: number | undefined;
  /** How long after a lost answer the service may still create the run; 30 s. */
  settleMs?: number | undefined;
  /** Whether the service is known to honour `Idempotency-Key`, as the embedded one does: a create may then be repeated. */
  isIdempotent?: boolean | undefined;
};

export type RunsClient = ReturnType<typeof createRunsClient>;

type ExtraParts = Omit<ApiRequest, 'method' | 'path'> & CallOptions;

/** The client of the Cloud Agent Runs API. */
export function createRunsClient(options: RunsClientOptions) {
  const base = readBaseUrl(options.baseUrl);
  const { timeoutMs = 60_000, maxRetries = 2, settleMs = 30_000, isIdempotent = false } = options;
  const transport = createTransport({
    origin: base.origin,
    maxReplyBytes: options.maxReplyBytes ?? 4 * 1024 * 1024,
    dispatcher: options.dispatcher,
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
  });
  const calls = createApiCalls(caller);
  const callWith =
    (method: HttpMethod) =>
    (path: string, parts: ExtraParts = {}) =>
      calls.untyped({ ...parts, method, path }, parts);

  return {
    runs: createRunsCalls(caller, calls, clock, { timeoutMs, maxRetries, settleMs, isIdempotent }),
    environments: {
      list: (call?: CallOptions) =>
        calls.typed(
          { method: 'GET', path: '/agent/environments' },
          listEnvironmentsResponseSchema,
          call,
        ),
    },
    agents: {
      list: (call?: CallOptions) =>
        calls.typed({ method: 'GET', path: '/agent' }, listAgentsResponseSchema, call),
    },
    /** Any endpoint, also one that this client does not know. */
    request: (request: ApiRequest & CallOptions) => calls.untyped(request, request),
    get: callWith('GET'),
    post: callWith('POST'),
    put: callWith('PUT'),
    patch: callWith('PATCH'),
    delete: callWith('DELETE'),
    /** Ends what is under way and, if it is the client's own, the pool. */
    close: () => transport.close(),
  };
}

/** `RUNS_API_URL` and `RUNS_API_KEY` of an environment such as `process.env`, for `createRunsClient`. */
export function readRunsClientOptions(
  env: Readonly<Record<string, string | undefined>>,
): Pick<RunsClientOptions, 'baseUrl' | 'apiKey'> {
  const { RUNS_API_URL: baseUrl, RUNS_API_KEY: apiKey } = env;
  if (!baseUrl)
    throw new TypeError('RUNS_API_URL is not set: give the base URL, ending in /api/v1');
  if (!apiKey) throw new TypeError('RUNS_API_KEY is not set: create a key and put it there');
  return { baseUrl, apiKey };
}
