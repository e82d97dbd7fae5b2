import type { Query } from './http/address.ts';
import type { HttpMethod } from './http/exchange.ts';

/** Options of every call. */
export type CallOptions = {
  /** Aborts the call, which then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit of the whole call: attempts, waits between them, reading the response. */
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as `Idempotency-Key`. */
  idempotencyKey?: string | undefined;
};

/** Any request, even to endpoints that the client has no method for. */
export type ApiRequest = {
  method: HttpMethod;
  /** Below the base URL, with its leading slash. */
  path: string;
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** True if it's safe to send twice. By default GET, PUT and DELETE are. */
  repeatable?: boolean | undefined;
};
