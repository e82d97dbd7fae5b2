import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { ApiRequest, CallOptions } from '../call-options.ts';
import { RunsApiError } from '../runs-api-error.ts';
import { sleep } from '../sleep.ts';
import { formatQuery } from './address.ts';
import type { HttpMethod, HttpReply, HttpRequest } from './exchange.ts';
import type { KeyReader } from './key-reader.ts';
import { readFailure, secretTexts } from './read-failure.ts';
import { decideRetry, hasDoneNothing } from './retry-decision.ts';
import type { ServiceClock } from './service-clock.ts';
import type { Transport } from './transport.ts';

/** Logger for calls, such as a pino logger. Prompts and keys aren't logged. */
export type ClientLogger = {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** Progress of one call, which all its attempts share. */
export type Progress = {
  /** Number of attempts so far, including those that failed before sending. */
  attempts: number;
  /** True after an attempt failed without proof that the service did nothing. */
  mightHaveActed: boolean;
};

export type Caller = {
  send(request: ApiRequest, call?: CallOptions, progress?: Progress): Promise<HttpReply<Buffer>>;
  /** Sends a request as `send` does, but returns the body unread. */
  open(request: ApiRequest, call?: CallOptions, progress?: Progress): Promise<HttpReply<Readable>>;
};

export type CallerOptions = {
  transport: Transport;
  /** Path of the base URL, without a slash at its end. */
  basePath: string;
  readKey: KeyReader;
  clock: Pick<ServiceClock, 'readDate'>;
  userAgent: string;
  timeoutMs: number;
  maxRetries: number;
  logger?: ClientLogger | undefined;
  onAttempt?: OnAttempt | undefined;
};

/** Called after each attempt of a call. `path` has no query; `status` is undefined if no response came. */
export type OnAttempt = (attempt: {
  method: HttpMethod;
  path: string;
  status: number | undefined;
  ms: number;
}) => void;

/** The longest timer that Node supports, in ms. A longer one would fire immediately. */
const longestTimeoutMs = 2 ** 31 - 1;

const repeatableMethods: ReadonlySet<HttpMethod> = new Set(['GET', 'PUT', 'DELETE']);

/**
 * Creates the function that sends every request. It sets headers, repeats attempts, and applies one deadline to all of
 * them.
 */
export function createCaller(options: CallerOptions): Caller {
  const { transport, logger, basePath, userAgent, onAttempt } = options;
  const hasVersion = /\/v\d+$/.test(basePath);

  async function attempt<Body extends Buffer | Readable>(
    exchange: (prepared: HttpRequest) => Promise<HttpReply<Body>>,
    request: ApiRequest,
    call: CallOptions,
    progress: Progress,
  ): Promise<HttpReply<Body>> {
    const timeLimitMs = Math.min(call.timeoutMs ?? options.timeoutMs, longestTimeoutMs);
    const deadlineMs = performance.now() + timeLimitMs;
    const { method } = request;
    const { signal } = call;
    // Allow any number of listeners, because one signal may stop hundreds of calls. Node would warn at eleven.
    if (signal) setMaxListeners(0, signal);
    const path = basePath + readPath(request.path) + formatQuery(request.query);
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const [shortPath = ''] = request.path.split('?');
    const title = `${method} ${shortPath}`;
    for (;;) {
      progress.attempts += 1;
      const { attempts } = progress;
      let key = '';
      const beganAt = performance.now();
      const report = (status: number | undefined) =>
        onAttempt?.({ method, path: shortPath, status, ms: performance.now() - beganAt });
      try {
        const read = options.readKey(deadlineMs, signal);
        key = typeof read === 'string' ? read : await read;
        const headers = formatHeaders(key, userAgent, body !== undefined, call, attempts);
        const timeoutMs = deadlineMs - performance.now();
        const reply = await exchange({ method, path, headers, body, timeoutMs, signal });
        options.clock.readDate(reply.headers['date']);
        logger?.debug({ call: title, status: reply.status, attempts }, 'runs API answered');
        if (reply.status < 300) {
          report(reply.status);
          return reply;
        }
        const failed = Buffer.isBuffer(reply.body) ? reply.body : Buffer.alloc(0);
        const secrets = secretTexts(request.body, key);
        throw await readFailure(title, { ...reply, body: failed }, secrets, hasVersion);
      } catch (error) {
        if (!(error instanceof RunsApiError)) throw error;
        progress.mightHaveActed ||= !hasDoneNothing(error);
        report(error.status);
        const decision = decideRetry({
          error,
          attempts,
          maxRetries: call.maxRetries ?? options.maxRetries,
          repeatable: request.repeatable ?? repeatableMethods.has(method),
          remainingMs: deadlineMs - performance.now(),
          random: Math.random(),
        });
        const { code, status } = error;
        logger?.warn({ call: title, code, status, attempts, ...decision }, 'runs API call failed');
        if (!decision.retry) throw error;
        await sleep(decision.delayMs, signal);
      }
    }
  }

  const begin = (): Progress => ({ attempts: 0, mightHaveActed: false });
  return {
    send: (request, call = {}, progress = begin()) =>
      attempt(transport.send, request, call, progress),
    async open(request, call = {}, progress = begin()) {
      const { body, ...head } = await attempt(transport.open, request, call, progress);
      return { ...head, body: body instanceof Readable ? body : Readable.from([body]) };
    },
  };
}

/**
 * Returns the path if it begins with a slash. Throws for any other path, because it would change the last segment or
 * the host of the URL.
 */
function readPath(path: string): string {
  if (path.startsWith('/')) return path;
  const message = 'the path of a request must start with "/"; nothing was sent';
  throw new RunsApiError({ code: 'invalid_request', message, sent: false });
}

function formatHeaders(
  key: string,
  userAgent: string,
  hasBody: boolean,
  call: CallOptions,
  attempts: number,
): string[] {
  const headers = ['accept', 'application/json', 'user-agent', userAgent];
  headers.push('authorization', `Bearer ${key}`);
  if (hasBody) headers.push('content-type', 'application/json');
  if (call.idempotencyKey !== undefined) headers.push('idempotency-key', call.idempotencyKey);
  if (attempts > 1) headers.push('x-attempt-number', String(attempts));
  return call.headers ? replaceHeaders(headers, call.headers) : headers;
}

/** Adds the caller's headers. A header of the caller replaces the client's header with the same name. */
function replaceHeaders(headers: string[], own: Readonly<Record<string, string>>): string[] {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const left = headers.filter((_, at) => !names.has(headers[at - (at % 2)] ?? ''));
  return [...left, ...Object.entries(own).flat()];
}
