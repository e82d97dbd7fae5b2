import type { DueAt } from 'base/leased-work';
import type { MovedReply } from '../store/outbox/message-posts.ts';
import type { NewPost, Post, PostPlace } from '../store/outbox/outbox-row.ts';
import type {
  CopiesOutcome,
  FindOutcome,
  PostOutcome,
  Rejected,
  RetryLater,
  UpdateOutcome,
} from './outcomes.ts';
import type { TrackedPost } from './track-post.ts';

/** A kind of post that isn't a message, but a status in Slack. */
export type StatusKind = {
  /** Returns the status to set. Undefined if there is none. */
  readStatus(post: Post): Promise<WantedStatus | undefined>;
};

export type StatusOutcome = { outcome: 'set' } | Rejected | RetryLater;

export type WantedStatus = {
  /** Status text, to compare with the one that was set. */
  status: string;
  /** Time in ms until Slack forgets the status; null for never. */
  lastsMs: number | null;
  /** Reserves a write if one is possible now and returns 0. Otherwise returns how long to wait, in ms. */
  waitMs(): Promise<number>;
  /** Sets the status, which is safe to repeat. */
  set(): Promise<StatusOutcome>;
};

/** A kind of message. The outbox knows neither the channel nor the text. */
export type PostKind = {
  /** Returns the message to post. Undefined if there is nothing to post anymore. */
  open(post: Post): Promise<OpenPost | undefined>;
};

export type OpenPost = {
  /**
   * Loads names and other slow data. Separate from `post`, because the lease is confirmed right before `post`.
   * @returns an outcome if nothing can be posted now
   */
  prepare?(): Promise<PostOutcome | undefined>;
  /** Posts the message in its current state. */
  post(): Promise<PostOutcome>;
  /** Searches for the message of an interrupted `post`. */
  find(): Promise<FindOutcome>;
  /** Searches for all copies, including those in other channels or threads where the message was before. */
  findCopies(): Promise<CopiesOutcome>;
  /** Posts to plan if Slack rejects this one. */
  instead: readonly NewPost[];
  /** Set for run messages only, which are updated. */
  kept?: KeptPost;
};

/** A post that is updated after it was posted. */
export type KeptPost = {
  /** Current content, to compare with the content in Slack. */
  shown: string;
  /** Reserves a write if one is possible now and returns 0. Otherwise returns how long to wait, in ms. */
  waitMs(write: 'post' | 'update'): Promise<number>;
  update(place: PostPlace): Promise<UpdateOutcome>;
  /** Plans notifications. Called when the message shows the current state, or when there is no message. */
  whenCurrent(tracked: TrackedPost): Promise<RetryLater | { outcome: 'planned'; dueAt: DueAt }>;
  /** Returns the replies that move to the new thread when another message replaces this one. */
  moveReplies(): Promise<readonly MovedReply[]>;
};
