/** How much Slack takes, and how long to wait for more. https://docs.slack.dev/apis/web-api/rate-limits */

import type { RoomFor } from '../../following/run-messages.ts';
import { rateLimited, readSlackTrouble, type SlackTrouble } from './slack-trouble.ts';

export type SlackBudget = ReturnType<typeof createSlackBudget>;

/** `chat.update` is tier 3: 50 a minute in a workspace. Short bursts are fine. */
const updates = { perMinute: 50, burst: 25, keptForUrgent: 8 };
/** `chat.postMessage` has its own rule: about one a second in a channel. */
const posts = { perMinute: 60, burst: 3, keptForUrgent: 0 };
const mostBuckets = 10_000;
/** Who has not come back by then does not want to write any more, or does it from another replica. */
const lateMs = 60_000;
/** The follower takes up what was accepted well within this time. */
const reservedMs = 5_000;

type Rules = typeof updates;
/** Who waits until when (milliseconds), the next first; and until when whoever came last. */
type Line = { times: Map<string, number>; last: number };
type Bucket = {
  tokens: number;
  at: number;
  pausedUntil: number;
  /** Until when places that were reserved count. */
  reservedUntil: number;
  urgent: Line;
  usual: Line;
};

/**
 * Counts our writes against Slack's limits. Other calls of the app share these limits, so a 429 may still come: then
 * only what it concerns is paused.
 */
export function createSlackBudget(now: () => number = Date.now) {
  const buckets = new Map<string, Bucket>();

  function bucketOf({ kind, channelId }: Pick<RoomFor, 'kind' | 'channelId'>) {
    const rules = kind === 'update' ? updates : posts;
    const key = kind === 'update' ? kind : `${kind} ${channelId}`;
    const found = buckets.get(key);
    const bucket = found ?? newBucket(rules, now());
    const gained = ((now() - bucket.at) / 60_000) * rules.perMinute;
    bucket.tokens = Math.min(rules.burst, bucket.tokens + gained);
    bucket.at = now();
    // Nobody has come back for as long as it takes to fill: who waited has nothing to write any more.
    if (bucket.tokens === rules.burst && bucket.reservedUntil <= now())
      Object.assign(bucket, { urgent: noLine(), usual: noLine() });
    if (!found) {
      if (buckets.size >= mostBuckets) buckets.clear();
      buckets.set(key, bucket);
    }
    return { bucket, rules };
  }

  return {
    /** Takes room for one write and answers 0, or answers how many milliseconds to wait before asking again. */
    take(write: RoomFor): number {
      const { bucket, rules } = bucketOf(write);
      const pauseMs = bucket.pausedUntil - now();
      if (pauseMs > 0) return pauseMs;
      const line = write.isUrgent ? bucket.urgent : bucket.usual;
      const missing = 1 + (write.isUrgent ? 0 : rules.keptForUrgent) - bucket.tokens;
      if (missing > 0) return waitIn(line, write.requestId, missing, rules);
      bucket.tokens -= 1;
      line.times.delete(write.requestId);
      return 0;
    },

    /** Keeps a place for a write that is asked for soon, and answers in how many milliseconds it may be made. */
    reserve(write: RoomFor): number {
      const { bucket, rules } = bucketOf(write);
      const line = write.isUrgent ? bucket.urgent : bucket.usual;
      bucket.reservedUntil = now() + reservedMs;
      dropLate(line);
      const missing = 1 + line.times.size - bucket.tokens;
      const pauseMs = Math.max(0, bucket.pausedUntil - now());
      if (missing > 0) return Math.max(pauseMs, waitIn(line, write.requestId, missing, rules));
      line.times.set(write.requestId, now());
      return pauseMs;
    },

    /** After a 429: nothing of this kind (and, for posts, in this channel) until Slack wants it again. */
    pause(write: Pick<RoomFor, 'kind' | 'channelId'>, ms: number): void {
      bucketOf(write).bucket.pausedUntil = now() + ms;
    },
  };

  /** One after the other: a thousand that wait must not all come back for the next free place. */
  function waitIn(line: Line, requestId: string, missing: number, rules: Rules): number {
    const eachMs = 60_000 / rules.perMinute;
    const known = line.times.get(requestId);
    if (known !== undefined && known > now()) return known - now();
    dropLate(line);
    line.last = Math.max(Math.ceil(now() + missing * eachMs), line.last + eachMs);
    line.times.delete(requestId);
    line.times.set(requestId, line.last);
    return line.last - now();
  }

  function dropLate(line: Line): void {
    for (const [id, at] of line.times) {
      if (at > now() - lateMs) break;
      line.times.delete(id);
    }
  }
}

const noLine = (): Line => ({ times: new Map(), last: 0 });

const newBucket = ({ burst }: Rules, at: number): Bucket => ({
  ...{ tokens: burst, at, pausedUntil: 0, reservedUntil: 0, urgent: noLine(), usual: noLine() },
});

/** What a failed write means; after a 429 no other of its kind is made too soon. @throws as `readSlackTrouble` */
export function readWriteTrouble(
  budget: SlackBudget,
  write: Pick<RoomFor, 'kind' | 'channelId'>,
  error: unknown,
): SlackTrouble {
  const trouble = readSlackTrouble(error);
  if (trouble.reason === rateLimited && trouble.outcome === 'later') {
    budget.pause(write, trouble.retryAfterMs);
  }
  return trouble;
}
