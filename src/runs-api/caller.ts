import type { Readable } from 'node:stream';
import { sleep } from '../lib/sleep.ts';
import type { HttpMethod, HttpReply, HttpRequest } from './exchange.ts';
import { formatQuery, type Query } from './query-string.ts';
import { readFailure } from './read-failure.ts';
import { decideRetry } from './retry-decision.ts';
import { RunsApiError } from './runs-api-error.ts';
import type { Transport } from './transport.ts';

/** What every call takes. */
export type CallOptions = {
  /** Aborts the call; it then fails with the signal's own reason. */
  signal?: AbortSignal | undefined;
  /** For the whole call: attempts, waits between them, reading the answer. */
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as `Idempotency-Key`. */
  idempotencyKey?: string | undefined;
};

export type ApiRequest = {
  method: HttpMethod;
  /** Below the base URL, with its leading slash. */
  path: string;
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: unknown;
};

/** What the client says about its calls; pino's loggers fit. */
export type ClientLogger = {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

export type Caller = {
  send(request: ApiRequest, call?: CallOptions): Promise<HttpReply<Buffer>>;
  open(request: ApiRequest, call?: CallOptions): Promise<HttpReply<Readable>>;
};

const repeatableMethods: ReadonlySet<HttpMethod> = new Set(['GET', 'PUT', 'DELETE']);

/** The one way of a request: headers, attempts, the retry decision, and one deadline over all of it. */
export function createCaller(options: {
  transport: Transport;
  /** Path of the base URL, without a slash at its end. */
  basePath: string;
  readKey: () => string | Promise<string>;
  userAgent: string;
  timeoutMs: number;
  maxRetries: number;
  logger?: ClientLogger | undefined;
}): Caller {
  const { transport, logger } = options;

  function prepare(request: ApiRequest, call: CallOptions, key: string): HttpRequest {
    const headers = ['accept', 'application/json', 'user-agent', options.userAgent];
    headers.push('authorization', `Bearer ${key}`);
    if (call.idempotencyKey !== undefined) headers.push('idempotency-key', call.idempotencyKey);
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    if (body !== undefined) headers.push('content-type', 'application/json');
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.push(name, value);
    const path = options.basePath + request.path + formatQuery(request.query);
    return { method: request.method, path, headers, body, timeoutMs: 0, signal: call.signal };
  }

  async function attempt<Body>(
    exchange: (prepared: HttpRequest) => Promise<HttpReply<Body>>,
    request: ApiRequest,
    call: CallOptions,
  ): Promise<HttpReply<Body>> {
    const deadlineMs = performance.now() + (call.timeoutMs ?? options.timeoutMs);
    const title = `${request.method} ${request.path}`;
    for (let attempts = 1; ; attempts += 1) {
      const read = options.readKey();
      const key = typeof read === 'string' ? read : await read;
      const prepared = prepare(request, call, key);
      if (attempts > 1) prepared.headers.push('x-attempt-number', String(attempts));
      prepared.timeoutMs = deadlineMs - performance.now();
      try {
        const reply = await exchange(prepared);
        logger?.debug({ call: title, status: reply.status, attempts }, 'runs API answered');
        if (reply.status < 300) return reply;
        const body = Buffer.isBuffer(reply.body) ? reply.body : Buffer.alloc(0);
        throw readFailure(title, { ...reply, body }, withheldFrom(request, key));
      } catch (error) {
        if (!(error instanceof RunsApiError)) throw error;
        const decision = decideRetry({
          error,
          attempts,
          maxRetries: call.maxRetries ?? options.maxRetries,
          repeatable: repeatableMethods.has(request.method),
          remainingMs: deadlineMs - performance.now(),
          random: Math.random(),
        });
        const { code, status } = error;
        logger?.warn({ call: title, code, status, attempts, ...decision }, 'runs API call failed');
        if (!decision.retry) throw error;
        await sleep(decision.delayMs, call.signal);
        call.signal?.throwIfAborted();
      }
    }
  }

  return {
    send: (request, call = {}) => attempt(transport.send, request, call),
    open: (request, call = {}) =>
      attempt(transport.open, request, call) as Promise<HttpReply<Readable>>,
  };
}

/** Texts that a service may echo and that must not get into errors. */
function withheldFrom(request: ApiRequest, key: string): string[] {
  const texts = [key];
  const { body } = request;
  if (typeof body === 'object' && body !== null && 'prompt' in body)
    texts.push(String(body.prompt));
  return texts.filter((text) => text.length > 7);
}
