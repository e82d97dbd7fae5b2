import type { Method, Tier } from './method.ts';

/**
 * Calls per minute, method and team, from docs.slack.dev/apis/web-api/rate-limits. Tier 1 allows 5 instead of the
 * documented "1+", because a bot needs several calls to open two connections. Slack documents no number for tier 5.
 */
const perMinute: Record<Exclude<Tier, 'post'>, number> = { 1: 5, 2: 20, 3: 50, 4: 100, 5: 600 };

/** Limit of chat.postMessage: about one per second and channel, with a short burst. */
const postsPerSecond = 1;
const postBurst = 3;

/** Counts calls in sliding windows. `take` returns the seconds to wait, or 0. */
export function createRateLimits({ isEnforced }: { isEnforced: boolean }) {
  const calls = new Map<string, number[]>();

  function takeFrom(key: string, allowed: number, windowMs: number): number {
    const nowMs = Date.now();
    const recent = (calls.get(key) ?? []).filter((atMs) => nowMs - atMs < windowMs);
    const oldest = recent[0];
    if (recent.length >= allowed && oldest !== undefined) {
      calls.set(key, recent);
      return Math.max(1, Math.ceil((oldest + windowMs - nowMs) / 1000));
    }
    calls.set(key, [...recent, nowMs]);
    return 0;
  }

  return {
    take(method: Method, teamId: string, channel: unknown): number {
      if (!isEnforced) return 0;
      const key = `${method.name} ${teamId}`;
      if (method.tier !== 'post') return takeFrom(key, perMinute[method.tier], 60_000);
      const windowMs = (postBurst / postsPerSecond) * 1000;
      return takeFrom(`${key} ${String(channel)}`, postBurst, windowMs);
    },
  };
}
export type RateLimits = ReturnType<typeof createRateLimits>;
