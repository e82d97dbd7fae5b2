import type { HttpMethod } from './exchange.ts';
import type { Query } from './query-string.ts';

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

/** Any request, also to endpoints that the client has no method for. */
export type ApiRequest = {
  method: HttpMethod;
  /** Below the base URL, with its leading slash. */
  path: string;
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Whether sending it twice does no more than sending it once; GET, PUT and DELETE are taken to be so. */
  repeatable?: boolean | undefined;
};
