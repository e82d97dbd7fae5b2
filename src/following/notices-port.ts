import type { NewNotice, Notice } from '../store/notices.ts';
import type { RunRequest } from '../store/request-row.ts';
import type { DoublesOutcome, FindOutcome, PostOutcome } from './run-messages.ts';

/** Who is told, and where; `later` when that cannot be found out now. */
export type Planned =
  | { outcome: 'planned'; notices: NewNotice[] }
  | Extract<PostOutcome, { outcome: 'later' }>;

/** How people are told of a request. Following is given this and never learns what is behind it. */
export type SlackNotices = {
  /** For a request that has ended, or was not started; empty when there is no one to tell. */
  planEnd(request: RunRequest): Promise<Planned>;
  /** For a run that waits for its creator, or takes too long; empty when they do not want to be told. */
  planNudge(request: RunRequest): Promise<Planned>;
  post(request: RunRequest, notice: Notice): Promise<PostOutcome>;
  /** Looks for what an interrupted `post` may have left behind. */
  find(request: RunRequest, notice: Notice): Promise<FindOutcome>;
  /** Looks for what was written, since the request was doubted, beside the first; where others took its place, for all. */
  findDoubles(request: RunRequest, notice: Notice): Promise<DoublesOutcome>;
  /** Marks the message that asked for the run with its end. Doing it twice does no more than once. */
  mark(request: RunRequest): Promise<void>;
};
