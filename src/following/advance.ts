import type { Logger } from '../lib/logger.ts';
import type { Connections } from '../store/connections.ts';
import type { Notices } from '../store/notices.ts';
import { LeaseLost, type RequestLeases } from '../store/request-leases.ts';
import type { RequestChanges, RunRequest } from '../store/request-row.ts';
import { assertMove } from '../store/request-steps.ts';
import type { Requests } from '../store/requests.ts';
import type { RunLengths } from '../store/run-lengths.ts';
import { createRun } from './create-run.ts';
import { removeDoubles } from './doubles.ts';
import { lookAtRun } from './look-at-run.ts';
import type { SlackNotices } from './notices-port.ts';
import { postMessage } from './post-message.ts';
import { afterAnswer, lookAfterNewsAt } from './progress.ts';
import type { RunMessages } from './run-messages.ts';
import type { FollowedRuns } from './runs-port.ts';
import { showRequest } from './show-request.ts';
import { tellPeople } from './tell-people.ts';

export type FollowingParts = {
  requests: Pick<Requests, 'findByRunIds'>;
  leases: Pick<RequestLeases, 'record' | 'check' | 'doubt'>;
  connections: Pick<Connections, 'find' | 'wake'>;
  runs: FollowedRuns;
  messages: RunMessages;
  notices: SlackNotices;
  toTell: Notices;
  lengths: RunLengths;
  logger: Logger;
};

/** One leased request under work: what is known of it, and how to change that durably. */
export type Tracked = {
  readonly request: RunRequest;
  /** Writes these changes and all notes. @throws LeaseLost when the request is somebody else's by now */
  record(changes: RequestChanges): Promise<void>;
  /** Changes what is known; written with the next `record`, or when the request is given back. */
  note(changes: RequestChanges): void;
  /** Records, right before a post or a create, that it begins. @throws LeaseLost also when this process slept meanwhile */
  begin(changes: RequestChanges): Promise<void>;
  /** Right before an effect that cannot be taken back. @throws LeaseLost likewise */
  check(): Promise<void>;
  /** What was noted and is not written yet. */
  readonly notes: RequestChanges;
};

/** When to look again (epoch milliseconds); null when nothing waits. */
export type DueAt = number | null;

/**
 * Takes one leased request as far as it can go now: post, create, follow, then show what changed. A message that has to
 * wait doesn't hold up the run. Every step is recorded before the next begins, so that a crash between two of them repeats
 * none; what may be repeated is noted, and written with the next record or when the request is given back.
 */
export async function advance(
  parts: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  try {
    return await goOn(parts, tracked, signal);
  } catch (error) {
    // Frozen, or too slow: what was on its way then may stand beside, or over, what another has written since.
    if (error instanceof LeaseLost) await parts.leases.doubt(tracked.request.id, Date.now());
    throw error;
  }
}

async function goOn(parts: FollowingParts, tracked: Tracked, signal: AbortSignal): Promise<DueAt> {
  const { step, postAnew } = tracked.request;
  const isToPost = step === 'accepted' || postAnew !== null;
  const postDueAt = isToPost ? await postMessage(parts, tracked) : null;
  if (signal.aborted) return Date.now();
  const stepDueAt = await takeStep(parts, tracked, signal);
  if (signal.aborted) return Date.now();
  const { dueAt: showDueAt, isTrue } = await showRequest(parts, tracked);
  const tellDueAt = isTrue ? await tellPeople(parts, tracked) : null;
  const removeDueAt = await removeDoubles(parts, tracked);
  return soonest([postDueAt, stepDueAt, showDueAt, tellDueAt, removeDueAt]);
}

function soonest(times: readonly DueAt[]): DueAt {
  return times.reduce((one, other) => (one === null ? other : Math.min(one, other ?? one)), null);
}

async function takeStep(
  parts: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  switch (tracked.request.step) {
    case 'posted':
      return createRun(parts, tracked, signal);
    case 'following':
      // Somebody pressed *Stop following*: the message says so, and nobody asks any more.
      if (tracked.request.unfollowedAt !== null) return null;
      takeNews(tracked);
      return lookAtRun(parts, tracked, signal);
    case 'accepted':
    case 'ended':
    case 'not_started':
      return null;
  }
}

/** What a sweep has left for this request. */
function takeNews({ request, note }: Tracked): void {
  const { news } = request;
  if (news === null) return;
  const now = Date.now();
  const lookAt = lookAfterNewsAt(request, news, now);
  note({ ...afterAnswer(request, news, now), newsTaken: news, lookAt });
}

/** Much less than a lease lasts: younger word that it is ours needs no asking. */
const freshMs = 1_000;

export function track(leases: FollowingParts['leases'], leased: RunRequest): Tracked {
  let request = leased;
  let notes: RequestChanges = {};
  const check = () => leases.check(leased);
  function note(changes: RequestChanges): void {
    if (changes.step) assertMove(request.step, changes.step);
    notes = { ...notes, ...changes };
    request = { ...request, ...changes };
  }
  async function record(changes: RequestChanges): Promise<void> {
    if (changes.step) assertMove(request.step, changes.step);
    const unwritten = { ...notes, ...changes };
    if (Object.keys(unwritten).length === 0) return check();
    await leases.record(leased, unwritten);
    request = { ...request, ...changes };
    notes = {};
  }
  async function begin(changes: RequestChanges): Promise<void> {
    const beganAt = Date.now();
    await record(changes);
    // The answer may have lain there for as long as this process was frozen.
    if (Date.now() - beganAt > freshMs) await check();
  }
  return {
    get request() {
      return request;
    },
    get notes() {
      return notes;
    },
    note,
    record,
    begin,
    check,
  };
}
