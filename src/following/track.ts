import { type DueAt, writeBeginning } from 'base/leased-work';
import type { Logger } from 'base/logger';
import { assertTransition } from '../requests/steps.ts';
import type { Connections } from '../store/following/connections.ts';
import type { RunLengths } from '../store/following/run-lengths.ts';
import type { Answers } from '../store/requests/answers.ts';
import type { RequestLeases } from '../store/requests/request-leases.ts';
import type { FollowedRequest, RequestChanges } from '../store/requests/request-row.ts';
import type { Requests } from '../store/requests/requests.ts';
import type { FollowedRuns } from './runs-port.ts';
import type { RequestFiles } from './steps/attach-files.ts';
import type { Attribution } from './steps/attribute-run.ts';
import type { CapCheck } from './steps/check-caps.ts';

/** Dependencies of the steps. `runs` uses the connection of the request. */
export type FollowingDeps = {
  requests: Pick<Requests, 'findByRunIds'>;
  connections: Pick<Connections, 'find' | 'wake'>;
  answers: Pick<Answers, 'find' | 'begin' | 'retryLater' | 'settle'>;
  lengths: Pick<RunLengths, 'usual'>;
  runs: FollowedRuns;
  files: RequestFiles;
  attribution: Attribution;
  caps: CapCheck;
  logger: Logger;
};

/** A leased request, with functions that change it durably. */
export type Tracked = {
  readonly request: FollowedRequest;
  /**
   * Writes these changes and all changes from `note`.
   * @throws LeaseLost
   */
  record(changes: RequestChanges): Promise<void>;
  /** Changes the request in memory. Written with the next `record`, or when the lease is released. */
  note(changes: RequestChanges): void;
  /**
   * Records that a post or a create call begins. Call this right before it.
   * @throws LeaseLost, also if this process was frozen
   */
  begin(changes: RequestChanges): Promise<void>;
  /**
   * Call this right before an effect that can't be undone.
   * @throws LeaseLost
   */
  check(): Promise<void>;
  /** Returns the changes from `note` that aren't written yet. */
  notes(): RequestChanges;
};

/** Works on a leased request. @returns when it's due again */
export type FollowStep = (
  deps: FollowingDeps,
  tracked: Tracked,
  signal: AbortSignal,
) => Promise<DueAt>;

export function track(
  leases: Pick<RequestLeases, 'record' | 'check'>,
  leased: FollowedRequest,
): Tracked {
  let notes: RequestChanges = {};
  let { nextPollAt: nextPollAtBefore } = leased;
  const written = (changes: RequestChanges): RequestChanges =>
    changes.nextPollAt === undefined ? changes : { ...changes, nextPollAtBefore };
  const check = () => leases.check(leased);
  function note(changes: RequestChanges): void {
    if (changes.step) assertTransition(tracked.request.step, changes.step);
    notes = { ...notes, ...changes };
    tracked.request = { ...tracked.request, ...changes };
  }
  async function record(changes: RequestChanges): Promise<void> {
    if (changes.step) assertTransition(tracked.request.step, changes.step);
    const unwritten = { ...notes, ...changes };
    if (Object.keys(unwritten).length === 0) return check();
    const clicked = await leases.record(leased, written(unwritten));
    if (unwritten.nextPollAt !== undefined) nextPollAtBefore = unwritten.nextPollAt;
    tracked.request = { ...tracked.request, ...changes, ...clicked };
    notes = {};
  }
  const begin = (changes: RequestChanges) => writeBeginning(() => record(changes), check);
  const tracked = {
    request: leased,
    notes: () => written(notes),
    note,
    record,
    begin,
    check,
  };
  return tracked;
}
