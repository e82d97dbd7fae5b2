/** How much Slack takes, and how long to wait for more. https://docs.slack.dev/apis/web-api/rate-limits */

export type SlackWrite = {
  kind: 'post' | 'update';
  channelId: string;
  /** People wait for the end of a run: it may use what is kept back from other updates. */
  isUrgent: boolean;
};

export type SlackBudget = ReturnType<typeof createSlackBudget>;

/** `chat.update` is tier 3: 50 a minute in a workspace. Short bursts are fine. */
const updates = { perMinute: 50, burst: 25, keptForUrgent: 8 };
/** `chat.postMessage` has its own rule: about one a second in a channel. */
const posts = { perMinute: 60, burst: 3, keptForUrgent: 0 };
const mostBuckets = 10_000;

/**
 * Counts our writes against Slack's limits. Other calls of the app share these limits, so a 429 may still come: then
 * only what it concerns is paused.
 */
export function createSlackBudget(now: () => number = Date.now) {
  const buckets = new Map<
    string,
    { tokens: number; at: number; pausedUntil: number; waiting: number }
  >();

  function bucketOf({ kind, channelId }: Pick<SlackWrite, 'kind' | 'channelId'>) {
    const rules = kind === 'update' ? updates : posts;
    const key = kind === 'update' ? kind : `${kind} ${channelId}`;
    const found = buckets.get(key);
    const bucket = found ?? { tokens: rules.burst, at: now(), pausedUntil: 0, waiting: 0 };
    const gained = ((now() - bucket.at) / 60_000) * rules.perMinute;
    bucket.tokens = Math.min(rules.burst, bucket.tokens + gained);
    bucket.at = now();
    if (bucket.tokens === rules.burst) bucket.waiting = 0;
    if (!found) {
      if (buckets.size >= mostBuckets) buckets.clear();
      buckets.set(key, bucket);
    }
    return { bucket, rules };
  }

  return {
    /** Takes room for one write and answers 0, or answers how many milliseconds to wait before asking again. */
    take(write: SlackWrite): number {
      const { bucket, rules } = bucketOf(write);
      const pauseMs = bucket.pausedUntil - now();
      if (pauseMs > 0) return pauseMs;
      const needed = 1 + (write.isUrgent ? 0 : rules.keptForUrgent);
      if (bucket.tokens < needed) {
        // One after the other: a thousand that wait must not all come back for the next free place.
        const ahead = needed - bucket.tokens + bucket.waiting;
        bucket.waiting += 1;
        return Math.ceil((ahead / rules.perMinute) * 60_000);
      }
      bucket.tokens -= 1;
      bucket.waiting = Math.max(0, bucket.waiting - 1);
      return 0;
    },

    /** After a 429: nothing of this kind (and, for posts, in this channel) until Slack wants it again. */
    pause(write: Pick<SlackWrite, 'kind' | 'channelId'>, ms: number): void {
      bucketOf(write).bucket.pausedUntil = now() + ms;
    },
  };
}
