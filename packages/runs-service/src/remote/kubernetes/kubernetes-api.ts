import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { parseJson } from 'base/parse-json';
import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import { sleep } from 'base/sleep';
import { retryDelayMs } from 'base/time/retry-delay';
import { z } from 'zod';
import { type ApiRequest, type Connection, connect } from './connect.ts';

type Call = Omit<ApiRequest, 'signal'>;

export type KubernetesApi = {
  /** Default namespace. It's that of the kubeconfig's context, or that of the pod that this process runs in. */
  namespace: string;
  /**
   * Calls the API and returns its answer. Retries for a few minutes, because the API is down during a cluster upgrade.
   * @throws ApiProblem if the API rejects the call or can't be reached
   */
  call(
    call: Call,
    options?: { signal?: AbortSignal | undefined; forMs?: number },
  ): Promise<unknown>;
  /** Yields the lines of an answer that stays open, until it's closed or `signal` aborts. */
  follow(call: Call, signal: AbortSignal): AsyncGenerator<unknown>;
};

const answerMs = 20_000;
const defaultForMs = 3 * 60_000;
/** Max size of an answer. A page of 500 Jobs or pods has a few megabytes. */
const maxBytes = 64 * 1024 * 1024;

export function createKubernetesApi({ namespace, send }: Connection): KubernetesApi {
  async function callOnce(call: Call, signal: AbortSignal): Promise<unknown> {
    try {
      const response = await send({ ...call, signal });
      const body = await read(response);
      const { statusCode = 0, headers } = response;
      if (statusCode >= 200 && statusCode < 300) return parseJson(body);
      throw rejectionProblem(statusCode, body, headers['retry-after']);
    } catch (error) {
      throw asProblem(error);
    }
  }

  return {
    namespace,
    async call(call, { signal = never, forMs = defaultForMs } = {}) {
      const givesUpAt = performance.now() + forMs;
      for (let failures = 1; ; failures += 1) {
        try {
          return await within(answerMs, signal, (limited) => callOnce(call, limited));
        } catch (error) {
          if (!(error instanceof ApiProblem) || !error.isPassing || signal.aborted) throw error;
          const waitMs = retryDelayMs(failures, error.retryAfterMs) / 2;
          if (performance.now() + waitMs > givesUpAt) throw error;
          await sleep(waitMs, signal);
        }
      }
    },
    async *follow(call, signal) {
      let response: IncomingMessage;
      try {
        response = await send({ ...call, signal });
        const { statusCode = 0, headers } = response;
        if (statusCode !== 200)
          throw rejectionProblem(statusCode, await read(response), headers['retry-after']);
      } catch (error) {
        throw asProblem(error);
      }
      try {
        for await (const line of createInterface({ input: response })) yield parseJson(line);
      } catch (error) {
        throw asProblem(error);
      } finally {
        response.destroy();
      }
    },
  };
}

/** Returns a function that connects to the cluster on its first call. If that fails, the next call tries again. */
export function connectOnce(kubeconfig: string | undefined): () => Promise<KubernetesApi> {
  let api: Promise<KubernetesApi> | undefined;
  const open = async () => createKubernetesApi(await connect(kubeconfig));
  return async () => {
    api ??= open();
    try {
      return await api;
    } catch (error) {
      api = undefined;
      throw error;
    }
  };
}

const never = new AbortController().signal;

/**
 * Runs `work` with a signal that aborts after `ms` or when `signal` aborts. Doesn't use `AbortSignal.any`, because a
 * signal that outlives the call would keep references to all combined signals.
 */
export async function within<T>(
  ms: number,
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = () => limit.abort();
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new ApiProblem('The answer of the cluster is too large', { status: 500 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new ApiProblem(`The cluster's API can't be reached: ${why}`, {}, { cause: error });
}

/** Schema of the API's answer to a request that it rejects. */
const statusSchema = z.object({
  message: z.string().default(''),
  reason: z.string().default(''),
});

const shownCharacters = 600;

/** Thrown if the API rejected a request or couldn't be reached. `status` is 0 if it couldn't be reached. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number;

  constructor(
    message: string,
    { status = 0, reason = '', retryAfterMs = 0 }: Partial<ApiProblem> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** True if the same request can succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export function rejectionProblem(
  status: number,
  body: string,
  retryAfter: string | undefined,
): ApiProblem {
  const read = statusSchema.safeParse(parseJson(body));
  const { message, reason } = read.success ? read.data : { message: body, reason: '' };
  const text = readableMessage(message === '' ? `HTTP ${status}` : message);
  return new ApiProblem(text, {
    status,
    reason,
    retryAfterMs: Math.min(60, Number(retryAfter) || 0) * 1_000,
  });
}

/** Shortens a message of the cluster, and removes line breaks and invisible characters. */
export const readableMessage = (text: string) => shorten(readableLine(text), shownCharacters);

export const jobsPath = (namespace: string) => `/apis/batch/v1/namespaces/${namespace}/jobs`;
export const podsPath = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;
export const secretsPath = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;
export const eventsPath = (namespace: string) => `/api/v1/namespaces/${namespace}/events`;
export const reviewsPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
