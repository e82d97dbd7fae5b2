/** Outcomes of calls to Slack: `refused` won't work later either, `later` may. */
import type { PostPlace } from '../store/outbox/outbox-row.ts';
import type { ReplacedPost } from '../store/schema-outbox.ts';

type Posted = { outcome: 'posted'; place: PostPlace };
export type Rejected = { outcome: 'refused'; reason: string };
/** `retryAfterMs` is what Slack asked for; 0 if it didn't say. */
export type RetryLater = {
  outcome: 'later';
  reason: string;
  retryAfterMs: number;
  /** Certainly nothing was posted, so there is nothing to look for. */
  isUndone?: true | undefined;
  /** Logged at debug level: the operator can't act on it, or it was logged once for all that wait. */
  isQuiet?: true | undefined;
  /** Waiting can take days, so work that needs the post continues without it. */
  isLasting?: true | undefined;
};
export type PostOutcome = Posted | Rejected | RetryLater;
export type FindOutcome = { outcome: 'absent' } | PostOutcome;
/** All posts since a duplicate was suspected, with the one to keep. */
export type CopiesOutcome =
  | { outcome: 'found'; places: readonly PostPlace[] }
  | Rejected
  | RetryLater;
export type RemoveOutcome = { outcome: 'removed' } | Rejected | RetryLater;
/** `gone`: the message can't be changed anymore. Another is posted `here`, as a `direct` message, or not at all. */
export type UpdateOutcome =
  | { outcome: 'shown' }
  | { outcome: 'gone'; reason: string; repost: ReplacedPost['repost'] | null }
  | Rejected
  | RetryLater;
