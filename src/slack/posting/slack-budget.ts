/** Keeps writes within Slack's rate limits. https://docs.slack.dev/apis/web-api/rate-limits */

import { entryLimit } from 'base/entry-limit';
import { LRUCache } from 'lru-cache';
import { rateLimited, readSlackFailure, type SlackFailure } from './slack-failure.ts';

export type SlackBudget = ReturnType<typeof createSlackBudget>;

/** Limits for updates of messages. `chat.update` allows 50 a minute per workspace (tier 3), in short bursts. */
const updates = {
  perMinute: 50,
  burst: 25,
  kept: { urgent: 0, question: 4, usual: 8, progress: 16 },
};
/** Limits for new messages. `chat.postMessage` allows about one a second per channel. */
const posts = {
  perMinute: 60,
  burst: 3,
  kept: { urgent: 0, question: 0, usual: 0, progress: 0 },
};
/** Limits for the status of agent sessions. `agents.sessions.setStatus` allows 50 a minute per workspace (tier 3). */
const sessions = {
  perMinute: 50,
  burst: 25,
  kept: { urgent: 0, question: 0, usual: 0, progress: 0 },
};
const rulesOf = { post: posts, update: updates, session: sessions };
/** Min time between two updates of a run's progress. */
const progressEveryMs = 3_000;
const mostBuckets = 10_000;
const minuteMs = 60_000;
/** Tolerated difference between our clock and the database's, in writes. */
const clockTolerance = 0.1;
/**
 * Time after its turn at which a request leaves the line, in ms. It has nothing to write, or another replica writes it.
 */
const lateMs = 60_000;
/** Time that writes stay reserved for the requests that wait in line, in ms. The follower calls well within it. */
const reservedMs = 5_000;

export type WriteReservation = {
  kind: 'post' | 'update' | 'session';
  channelId: string;
  /** ID of the request that writes. It waits in line only once, however often it calls. */
  requestId: string;
  priority: Priority;
};

/**
 * Order of writes that wait. Ends of runs are urgent, because people wait for them. Questions are next, because their
 * runs wait for people. Progress waits for everything else.
 */
export type Priority = 'urgent' | 'question' | 'usual' | 'progress';

/**
 * Counts a write for all replicas. `spentMs` is the time until Slack allows one more write, in ms.
 * @returns time in ms until Slack allows a whole burst again
 */
export type SpendWrite = (kind: WriteReservation['kind'], spentMs: number) => Promise<number>;

type Rules = typeof updates;
/** Times by request, soonest first, by this budget's clock in ms. `last` is the latest time that was assigned. */
type Line = { times: Map<string, number>; last: number };
type Bucket = {
  tokens: number;
  at: number;
  pausedUntil: number;
  /** End of the time in which writes are reserved for the requests in `lines`, by this budget's clock in ms. */
  reservedUntil: number;
  lines: Record<Priority, Line>;
};

/**
 * Creates a budget that keeps writes below Slack's limits. Other calls of the app use the same limits, so Slack may
 * still answer 429. Then only the affected kind of write pauses.
 * @param spend counts writes of all replicas; see docs/decisions/005-replicas-share-slacks-limits.md
 */
export function createSlackBudget(now = (): number => performance.now(), spend?: SpendWrite) {
  const buckets = new LRUCache<string, Bucket>(entryLimit(mostBuckets));
  const progressShownAt = new LRUCache<string, number>(entryLimit(mostBuckets));

  function bucketOf({ kind, channelId }: Pick<WriteReservation, 'kind' | 'channelId'>) {
    const rules = rulesOf[kind];
    const key = kind === 'post' ? `${kind} ${channelId}` : kind;
    const found = buckets.get(key);
    const bucket = found ?? newBucket(rules, now());
    const gained = (now() - bucket.at) / eachMs(rules);
    bucket.tokens = Math.min(rules.burst, bucket.tokens + gained);
    bucket.at = now();
    // Empty the lines if the bucket is full. Nobody wrote for a while, so the waiting requests have nothing left to
    // write.
    if (bucket.tokens === rules.burst && bucket.reservedUntil <= now()) bucket.lines = noLines();
    if (!found) buckets.set(key, bucket);
    return { bucket, rules };
  }

  return {
    take,

    /** Counts a write against a limit of the whole workspace, which all replicas share. Returns the same as `take`. */
    async takeShared(write: WriteReservation & { kind: 'update' | 'session' }): Promise<number> {
      const shownAt = progressShownAt.get(write.requestId);
      const waitMs = take(write);
      if (waitMs > 0 || !spend) return waitMs;
      const { bucket, rules } = bucketOf(write);
      const left = rules.burst - (await spend(write.kind, eachMs(rules))) / eachMs(rules);
      bucket.tokens = Math.min(bucket.tokens, left);
      const missing = rules.kept[write.priority] - left;
      if (missing < clockTolerance) return 0;
      await spend(write.kind, -eachMs(rules));
      bucket.tokens += 1;
      if (shownAt === undefined) progressShownAt.delete(write.requestId);
      else progressShownAt.set(write.requestId, shownAt);
      return waitIn(bucket.lines[write.priority], write.requestId, missing, rules);
    },

    /**
     * Reserves a turn for a write that follows soon.
     * @returns time in ms until the write can be made
     */
    reserve(write: WriteReservation): number {
      const { bucket, rules } = bucketOf(write);
      const line = bucket.lines[write.priority];
      bucket.reservedUntil = now() + reservedMs;
      dropLate(line);
      const missing = 1 + line.times.size - bucket.tokens;
      const pauseMs = Math.max(0, bucket.pausedUntil - now());
      if (missing > 0) return Math.max(pauseMs, waitIn(line, write.requestId, missing, rules));
      line.times.set(write.requestId, now());
      return pauseMs;
    },

    /** Pauses this kind of write after a 429. Posts are paused only in this channel. */
    pause(write: Pick<WriteReservation, 'kind' | 'channelId'>, ms: number): void {
      bucketOf(write).bucket.pausedUntil = now() + ms;
    },
  };

  /**
   * Counts a write if it can be made now.
   * @returns 0 if so, or the time in ms to wait before the next call
   */
  function take(write: WriteReservation): number {
    const { bucket, rules } = bucketOf(write);
    const pauseMs = bucket.pausedUntil - now();
    if (pauseMs > 0) return pauseMs;
    const { priority, requestId } = write;
    const shownAt = priority === 'progress' ? progressShownAt.get(requestId) : undefined;
    const earlyMs = shownAt === undefined ? 0 : shownAt + progressEveryMs - now();
    if (earlyMs > 0) return earlyMs;
    const missing = 1 + rules.kept[priority] - bucket.tokens;
    if (missing > 0) return waitIn(bucket.lines[priority], requestId, missing, rules);
    bucket.tokens -= 1;
    for (const line of Object.values(bucket.lines)) line.times.delete(requestId);
    if (priority === 'progress') progressShownAt.set(requestId, now());
    return 0;
  }

  /**
   * Gives each waiting request its own time, so that a thousand of them don't all return at once. Returns the wait in
   * ms.
   */
  function waitIn(line: Line, requestId: string, missing: number, rules: Rules): number {
    const assigned = line.times.get(requestId);
    if (assigned !== undefined && assigned > now()) return assigned - now();
    dropLate(line);
    line.last = Math.max(Math.ceil(now() + missing * eachMs(rules)), line.last + eachMs(rules));
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

const eachMs = ({ perMinute }: Rules): number => minuteMs / perMinute;

const noLine = (): Line => ({ times: new Map(), last: 0 });

const noLines = () => ({
  urgent: noLine(),
  question: noLine(),
  usual: noLine(),
  progress: noLine(),
});

const newBucket = ({ burst }: Rules, at: number): Bucket => ({
  tokens: burst,
  at,
  pausedUntil: 0,
  reservedUntil: 0,
  lines: noLines(),
});

/**
 * Reads the failure of a write, and pauses such writes after a 429.
 * @throws like `readSlackFailure`
 */
export function readWriteFailure(
  budget: SlackBudget,
  write: Pick<WriteReservation, 'kind' | 'channelId'>,
  error: unknown,
): SlackFailure {
  const failure = readSlackFailure(error);
  if (failure.reason === rateLimited && failure.outcome === 'later') {
    budget.pause(write, failure.retryAfterMs);
  }
  return failure;
}
