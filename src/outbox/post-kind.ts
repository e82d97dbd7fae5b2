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

/** A kind of post that isn't a message: something in Slack that has a status. */
export type StatusKind = {
  /** Undefined when there is nothing to set. */
  readStatus(post: Post): Promise<WantedStatus | undefined>;
};

export type StatusOutcome = { outcome: 'set' } | Rejected | RetryLater;

export type WantedStatus = {
  /** To compare with what was set. */
  status: string;
  /** Time in ms until Slack forgets the status; null for never. */
  lastsMs: number | null;
  /** 0 if it may be set now, which is counted; else how many milliseconds to wait before asking again. */
  waitMs(): Promise<number>;
  /** Doing it twice is safe. */
  set(): Promise<StatusOutcome>;
};

/** A kind of message. The outbox knows neither its channel nor its text. */
export type PostKind = {
  /** Undefined when there is nothing to post anymore. */
  open(post: Post): Promise<OpenPost | undefined>;
};

export type OpenPost = {
  /**
   * Loads names and the like, which takes a while. Not part of `post`, because the lease is confirmed right before that.
   * @returns an outcome if nothing can be posted now
   */
  prepare?(): Promise<PostOutcome | undefined>;
  /** Posts it as it is now. */
  post(): Promise<PostOutcome>;
  /** Looks for what an interrupted `post` may have posted. */
  find(): Promise<FindOutcome>;
  /** Looks for all copies, also in places that it had before. */
  findCopies(): Promise<CopiesOutcome>;
  /** Posts that take its place when it is refused. */
  instead: readonly NewPost[];
  /** Only for a run message. */
  kept?: KeptPost;
};

/** A post that is kept up to date. */
export type KeptPost = {
  /** The current content, to compare with the content in Slack. */
  shown: string;
  /** 0 if it may be posted or updated now, which is counted; else how many milliseconds to wait before asking again. */
  waitMs(write: 'post' | 'update'): Promise<number>;
  update(place: PostPlace): Promise<UpdateOutcome>;
  /** Called when it shows the current state, or there is none. Plans what people are told. */
  whenCurrent(tracked: TrackedPost): Promise<RetryLater | { outcome: 'planned'; dueAt: DueAt }>;
  /** Returns the replies in its thread that move when another message replaces it. */
  moveReplies(): Promise<readonly MovedReply[]>;
};
