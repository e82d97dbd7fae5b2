import type { DueAt } from 'base/leased-work';
import type { MovedReply } from '../store/outbox/message-posts.ts';
import type { NewPost, Post, PostPlace } from '../store/outbox/outbox-row.ts';
import type {
  CopiesOutcome,
  FindOutcome,
  Later,
  PostOutcome,
  Refused,
  UpdateOutcome,
} from './outcomes.ts';
import type { TrackedPost } from './track-post.ts';

/** What the outbox asks of a kind that isn't a message: something in Slack that has a status. */
export type StatusKind = {
  /** Undefined when there is nothing to set. */
  readStatus(post: Post): Promise<WantedStatus | undefined>;
};

export type SetOutcome = { outcome: 'set' } | Refused | Later;

export type WantedStatus = {
  /** To compare with what was set. */
  status: string;
  /** How long Slack remembers it; null for ever. */
  lastsMs: number | null;
  /** 0 if it may be set now, which is counted; else how many milliseconds to wait before asking again. */
  waitMs(): Promise<number>;
  /** Doing it twice is safe. */
  set(): Promise<SetOutcome>;
};

/** What the outbox asks of one kind of post. It doesn't know where a post goes or what it says. */
export type PostKind = {
  /** Undefined when there is nothing to post any more. */
  open(post: Post): Promise<OpenPost | undefined>;
};

export type OpenPost = {
  /**
   * What takes a while, such as asking for names. Not part of `post`, before which the lease is confirmed.
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
  /** What it shows now, to compare with what was shown. */
  shown: string;
  /** 0 if it may be posted or updated now, which is counted; else how many milliseconds to wait before asking again. */
  waitMs(write: 'post' | 'update'): Promise<number>;
  update(place: PostPlace): Promise<UpdateOutcome>;
  /** Called when it shows the current state, or there is none. Plans what people are told. */
  whenCurrent(tracked: TrackedPost): Promise<Later | { outcome: 'planned'; dueAt: DueAt }>;
  /** What happens to the replies in its thread when another message replaces it. */
  moveReplies(): Promise<readonly MovedReply[]>;
};
