import type { Query } from './http/address.ts';
import type { HttpMethod } from './http/exchange.ts';

/** Options that every call accepts. */
export type CallOptions = {
  /** Aborts the call, which then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit of the whole call in ms. Includes all attempts, the waits between them and reading the response. */
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Value of the `Idempotency-Key` header. */
  idempotencyKey?: string | undefined;
};

/** A request to any endpoint, even one that the client has no method for. */
export type ApiRequest = {
  method: HttpMethod;
  /** Path below the base URL, with its leading slash. */
  path: string;
  query?: Query | undefined;
  /** Value that is sent as JSON. */
  body?: unknown;
  /** True if the request is safe to send twice. By default true for GET, PUT and DELETE. */
  repeatable?: boolean | undefined;
};
