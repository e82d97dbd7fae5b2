/** Outcomes of calls to Slack. `rejected` is final, `later` can be retried. */
import type { PostPlace } from '../store/outbox/outbox-row.ts';
import type { ReplacedPost } from '../store/schema-outbox.ts';

type Posted = { outcome: 'posted'; place: PostPlace };
export type Rejected = { outcome: 'rejected'; reason: string };
/** `retryAfterMs` is the wait that Slack requested, or 0 if it named none. */
export type RetryLater = {
  outcome: 'later';
  reason: string;
  retryAfterMs: number;
  /** True if certainly nothing was posted, so no search is needed. */
  isUndone?: true | undefined;
  /** Logged at debug level, because the operator can't act on it or it was logged once for all that wait. */
  isQuiet?: true | undefined;
  /** True if the wait can take days. Work that needs the post continues without it. */
  isLasting?: true | undefined;
};
export type PostOutcome = Posted | Rejected | RetryLater;
export type FindOutcome = { outcome: 'absent' } | PostOutcome;
/** Copies of a post since a duplicate was suspected, with the one to keep. */
export type CopiesOutcome =
  | { outcome: 'found'; places: readonly PostPlace[] }
  | Rejected
  | RetryLater;
export type RemoveOutcome = { outcome: 'removed' } | Rejected | RetryLater;
/** `gone`: the message can't be edited anymore. Another is posted `here`, as a `direct` message, or not at all. */
export type UpdateOutcome =
  | { outcome: 'shown' }
  | { outcome: 'gone'; reason: string; repost: ReplacedPost['repost'] | null }
  | Rejected
  | RetryLater;
