import type { MiddlewareHandler } from 'hono';
import type { CallerVariables } from './authentication.ts';
import { ApiProblem } from './problem.ts';

export type RateLimitOptions = {
  requestsPerMinute: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
};

type Bucket = { tokens: number; at: number };

/** A token bucket of one minute per owner of keys. It's in memory, so each process of the service has its own. */
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
        `This key's owner sent more than ${requestsPerMinute} requests in a minute. Try again in ${seconds}s.`,
        { 'retry-after': String(seconds) },
      );
    }
    await next();
  };
}
