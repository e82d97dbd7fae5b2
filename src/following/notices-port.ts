import type { NewNotice, Notice } from '../store/outbox/notices.ts';
import type { RunRequest } from '../store/requests/request-row.ts';
import type { DuplicatesOutcome, FindOutcome, PostOutcome } from './run-messages.ts';

/** Who gets which notice; `later` when that can't be found out now. */
export type Planned =
  | { outcome: 'planned'; notices: NewNotice[] }
  | Extract<PostOutcome, { outcome: 'later' }>;

/** How people are notified. The follower doesn't know what is behind it. */
export type SlackNotices = {
  /** For a request that ended or wasn't started; empty when nobody wants to be notified. */
  planEnd(request: RunRequest): Promise<Planned>;
  /** For a run that needs its creator or takes too long; empty when they don't want to be notified. */
  planNudge(request: RunRequest): Promise<Planned>;
  post(request: RunRequest, notice: Notice): Promise<PostOutcome>;
  /** Looks for what an interrupted `post` may have posted. */
  find(request: RunRequest, notice: Notice): Promise<FindOutcome>;
  /** Finds duplicates posted since one was suspected. For a notice that others replaced, all posts are duplicates. */
  findDuplicates(request: RunRequest, notice: Notice): Promise<DuplicatesOutcome>;
  /** Adds a reaction for the end to the message that asked for the run. Safe to repeat. */
  mark(request: RunRequest): Promise<void>;
};
