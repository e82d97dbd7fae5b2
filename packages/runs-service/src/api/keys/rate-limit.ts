import type { MiddlewareHandler } from 'hono';
import { LRUCache } from 'lru-cache';
import { ApiProblem } from '../problem.ts';
import type { CallerVariables } from './authentication.ts';

type RateLimitOptions = {
  requestsPerMinute: number;
  /** Returns a monotonic time in ms. */
  now?: () => number;
};

type Bucket = { tokens: number; at: number };

const maxBuckets = 10_000;

/** Creates token buckets that fill up in a minute. They're in memory, so each service process applies its own limit. */
export function createRateLimit({
  requestsPerMinute,
  now = () => performance.now(),
}: RateLimitOptions) {
  const perMs = requestsPerMinute / 60_000;
  const buckets = new LRUCache<string, Bucket>({ max: maxBuckets });
  return {
    /**
     * Uses up one request of this key's limit.
     * @param who subject of the error message, such as "Your address"
     * @throws ApiProblem if there were too many requests
     */
    take(key: string, who: string): void {
      const at = now();
      const bucket = buckets.get(key) ?? { tokens: requestsPerMinute, at };
      const tokens = Math.min(requestsPerMinute, bucket.tokens + (at - bucket.at) * perMs);
      buckets.set(key, { tokens: Math.max(0, tokens - 1), at });
      if (tokens >= 1) return;
      const seconds = Math.ceil((1 - tokens) / perMs / 1000);
      throw new ApiProblem(
        'rate_limited',
        `${who} sent more than ${requestsPerMinute} requests in a minute. Try again in ${seconds}s.`,
        { 'retry-after': String(seconds) },
      );
    },
  };
}

/** Creates middleware that limits the requests of each key owner. */
export function limitRate(
  options: RateLimitOptions,
): MiddlewareHandler<{ Variables: CallerVariables }> {
  const rate = createRateLimit(options);
  return async (context, next) => {
    rate.take(context.get('caller').creator.uid, "This key's owner");
    await next();
  };
}
