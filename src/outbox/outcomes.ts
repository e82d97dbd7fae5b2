/** Defines the outcomes of calls to Slack. `rejected` is final, and `later` can be retried. */
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
  /** True to log at debug level. The operator can't act on it, or it was logged once for all waiting posts. */
  isQuiet?: true | undefined;
  /** True if it may take days until Slack accepts the post. A run then starts before its message is posted. */
  isLasting?: true | undefined;
};
export type PostOutcome = Posted | Rejected | RetryLater;
export type FindOutcome = { outcome: 'absent' } | PostOutcome;
/** Result of searching for copies of a post. `places` lists all copies, including the one to keep. */
export type CopiesOutcome =
  | { outcome: 'found'; places: readonly PostPlace[] }
  | Rejected
  | RetryLater;
export type RemoveOutcome = { outcome: 'removed' } | Rejected | RetryLater;
/**
 * Result of updating a message. `gone`: the message can't be edited anymore. `repost` says where to post it again, if
 * at all.
 */
export type UpdateOutcome =
  | { outcome: 'shown' }
  | { outcome: 'gone'; reason: string; repost: ReplacedPost['repost'] | null }
  | Rejected
  | RetryLater;
