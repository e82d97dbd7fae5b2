import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { ApiCall, type CallWays } from './api-call.ts';
import {
  type ApiRequest,
  type Caller,
  type CallOptions,
  type ClientLogger,
  createCaller,
} from './caller.ts';
import {
  type CreateRunRequest,
  createRunRequestSchema,
  createRunResponseSchema,
  type ListRunsQuery,
  listAgentsResponseSchema,
  listEnvironmentsResponseSchema,
  listRunsResponseSchema,
  runSchema,
} from './contract.ts';
import type { CreateAttempt } from './create-attempt.ts';
import { type FindOptions, findCreated } from './find-created.ts';
import { readRequestId } from './read-failure.ts';
import { readData, readJson } from './read-reply.ts';
import { RunsApiError } from './runs-api-error.ts';
import { RunsList } from './runs-page.ts';
import { createTransport, type RunsDispatcher } from './transport.ts';
import { type WaitOptions, waitForRun } from './wait-for-run.ts';

export type RunsClientOptions = {
  /** Ends in `/api/v1`. */
  baseUrl: string;
  /** A function is asked before every attempt. */
  apiKey: string | (() => string | Promise<string>);
  /** For a whole call; 60 s. */
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  /** An undici dispatcher (a proxy, say), closed by its owner; without it the client keeps one pool of its own. */
  dispatcher?: RunsDispatcher | undefined;
  logger?: ClientLogger | undefined;
  userAgent?: string | undefined;
  /** Larger replies are refused; 4 MiB. */
  maxReplyBytes?: number | undefined;
  settleMs?: number | undefined;
};

export type RunsClient = ReturnType<typeof createRunsClient>;

export function createRunsClient(options: RunsClientOptions) {
  const base = new URL(options.baseUrl);
  const transport = createTransport({
    origin: base.origin,
    maxReplyBytes: options.maxReplyBytes ?? 4 * 1024 * 1024,
    dispatcher: options.dispatcher,
  });
  const { apiKey } = options;
  const caller = createCaller({
    transport,
    basePath: base.pathname.replace(/\/+$/, ''),
    readKey: typeof apiKey === 'string' ? () => apiKey : apiKey,
    userAgent: options.userAgent ?? 'slash-agent-runs-client',
    timeoutMs: options.timeoutMs ?? 60_000,
    maxRetries: options.maxRetries ?? 2,
    logger: options.logger,
  });
  const typed = <Schema extends z.ZodType>(
    schema: Schema,
    request: ApiRequest,
    call?: CallOptions,
  ) => new ApiCall(callWays(caller, request, call, (reply) => readData(reply, schema)));
  const untyped = (request: ApiRequest, call?: CallOptions) =>
    new ApiCall(
      callWays(caller, request, call, (reply): unknown =>
        reply.body.length === 0 ? undefined : readJson(reply),
      ),
    );
  const get = (id: string, call?: CallOptions) =>
    typed(runSchema, { method: 'GET', path: runPath(id) }, call);
  const listWays = (query: ListRunsQuery, call?: CallOptions) =>
    callWays(caller, { method: 'GET', path: '/agent/runs', query }, call, (reply) =>
      readData(reply, listRunsResponseSchema),
    );
  const bare =
    (method: ApiRequest['method']) =>
    (path: string, parts: Pick<ApiRequest, 'query' | 'body'> & CallOptions = {}) =>
      untyped({ method, path, query: parts.query, body: parts.body }, parts);

  return {
    runs: {
      create(request: CreateRunRequest, call: CallOptions = {}) {
        const requestId = call.idempotencyKey ?? randomUUID();
        const metadata = { ...request.metadata, request_id: requestId };
        const body = createRunRequestSchema.parse({ ...request, metadata });
        const path = '/agent/run';
        return typed(
          createRunResponseSchema,
          { method: 'POST', path, body },
          { ...call, idempotencyKey: requestId },
        );
      },
      get,
      list: (query: ListRunsQuery = {}, call?: CallOptions) =>
        new RunsList(query, (page) => listWays(page, call)),
      cancel: (id: string, call?: CallOptions) =>
        untyped({ method: 'POST', path: `${runPath(id)}/cancel` }, call),
      followUp: (id: string, message: string, call?: CallOptions) =>
        untyped({ method: 'POST', path: `${runPath(id)}/followups`, body: { message } }, call),
      wait: (id: string, wait: WaitOptions = {}) => waitForRun((call) => get(id, call), wait),
      findCreated: (attempt: CreateAttempt, find: FindOptions = {}) =>
        findCreated((query, call) => listWays(query, call).data(), attempt, {
          ...find,
          settleMs: find.settleMs ?? options.settleMs ?? 30_000,
        }),
    },
    environments: {
      list: (call?: CallOptions) =>
        typed(listEnvironmentsResponseSchema, { method: 'GET', path: '/agent/environments' }, call),
    },
    agents: {
      list: (call?: CallOptions) =>
        typed(listAgentsResponseSchema, { method: 'GET', path: '/agent' }, call),
    },
    request: (request: ApiRequest & CallOptions) => untyped(request, request),
    get: bare('GET'),
    post: bare('POST'),
    put: bare('PUT'),
    patch: bare('PATCH'),
    delete: bare('DELETE'),
    close: () => transport.close(),
  };
}

function callWays<Data>(
  caller: Caller,
  request: ApiRequest,
  call: CallOptions | undefined,
  read: (reply: Awaited<ReturnType<Caller['send']>>) => Data,
): CallWays<Data> {
  return {
    async data() {
      const reply = await caller.send(request, call);
      const { status, headers } = reply;
      return { data: read(reply), status, headers, requestId: readRequestId(headers) };
    },
    raw: () => caller.open(request, call),
  };
}

function runPath(id: string): string {
  if (/^\.{0,2}$/.test(id)) {
    const message = 'a run id is missing; nothing was sent';
    throw new RunsApiError({ code: 'invalid_request', message, sent: false });
  }
  return `/agent/runs/${encodeURIComponent(id)}`;
}
