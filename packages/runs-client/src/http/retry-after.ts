import type { ReplyHeaders } from './exchange.ts';

/** A longer wait, such as a year, is a mistake of the service. */
const longestMs = 24 * 60 * 60_000;

/** How long the service asks to wait: `retry-after-ms`, else `Retry-After` in seconds or as a date. */
export function readRetryAfterMs(headers: ReplyHeaders, nowMs: number): number | undefined {
  const ms = readNumber(headers['retry-after-ms']);
  if (ms !== undefined) return bound(ms);
  const value = headers['retry-after'];
  const seconds = readNumber(value);
  if (seconds !== undefined) return bound(seconds * 1000);
  // Only HTTP dates: `Date.parse` alone would take "-5" for a month.
  if (typeof value !== 'string' || !/^[A-Z][a-z]+,? /.test(value)) return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : bound(atMs - nowMs);
}

function readNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function bound(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), longestMs);
}
