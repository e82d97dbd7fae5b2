import type { MiddlewareHandler } from 'hono';
import type { CallerVariables } from './authentication.ts';
import { ApiProblem } from './problem.ts';

export type RateLimitOptions = {
  requestsPerMinute: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
};

type Bucket = { tokens: number; at: number };

/**
 * So many requests a minute for each owner of keys, saved up to one minute's worth. Kept in memory: each process of
 * the service counts for itself.
 */
export function limitRate({
  requestsPerMinute,
  now = () => performance.now(),
}: RateLimitOptions): MiddlewareHandler<{ Variables: CallerVariables }> {
  const perMs = requestsPerMinute / 60_000;
  const buckets = new Map<string, Bucket>();
  return async (context, next) => {
    const owner = context.get('caller').creator.uid;
    const at = now();
    const bucket = buckets.get(owner) ?? { tokens: requestsPerMinute, at };
    const tokens = Math.min(requestsPerMinute, bucket.tokens + (at - bucket.at) * perMs);
    buckets.set(owner, { tokens: Math.max(0, tokens - 1), at });
    if (tokens < 1) {
      const seconds = Math.ceil((1 - tokens) / perMs / 1000);
      throw new ApiProblem(
        'rate_limited',
        `More than ${requestsPerMinute} requests a minute. Try again in ${seconds} s.`,
        { 'retry-after': String(seconds) },
      );
    }
    await next();
  };
}
