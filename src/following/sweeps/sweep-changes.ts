import type { Logger } from 'base/logger';
import { isTerminalState, knownRunStates, type Run } from 'runs-client/contract';
import type { Connection, ConnectionChanges } from '../../store/following/connections.ts';
import type { FollowedRunsStore } from '../../store/following/followed-runs.ts';
import type { FollowedRequest } from '../../store/requests/request-row.ts';
import { followedLongEnough } from '../progress.ts';
import { callOptions, type ListedRuns, readFailure } from '../runs-port.ts';

export type SweepDeps = {
  followed: FollowedRunsStore;
  runs: ListedRuns;
  /** Returns true while the service announces changes. */
  isListening(): boolean;
  logger: Logger;
};

/** Changes of a connection after a sweep. `nextInMs` overrides the usual delay of the next sweep. */
export type SweepResult = ConnectionChanges & { nextInMs?: number };

export type Sweep = (
  deps: SweepDeps,
  connection: Connection,
  signal: AbortSignal,
) => Promise<SweepResult>;

const pageSize = 100;
/** Max pages to read before the watermark is saved. */
const mostPages = 50;
/** Tolerance for services that round times to seconds, in ms. */
const toleranceMs = 1_000;
/** Max time by which a change can be in the future and still move the watermark, in ms. */
const mostAheadMs = 5 * 60_000;
const retryBestModeMs = 10 * 60_000;

/**
 * Lists what changed since the last sweep, so that the cost grows with changes and not with runs. Starts slightly
 * before the newest known change, so that a service that supports the filter never returns an empty list. See
 * docs/architecture.md.
 */
export const sweepChanges: Sweep = async (deps, connection, signal) => {
  const since = connection.watermark;
  if (since === null) {
    const { watermark } = await readNewest(deps, signal);
    // Check a single run if the list is empty, because followed runs can then only be polled one by one.
    const checked = watermark === null ? await checkOneRun(deps, connection, signal) : {};
    return { mode: 'changes', watermark, ...checked };
  }
  const times: number[] = [];
  const begunAt = serviceNowMs(deps) - toleranceMs;
  let page = await deps.runs.list(
    {
      updated_after: new Date(since).toISOString(),
      sort_by: 'updated_at',
      sort_order: 'asc',
      limit: pageSize,
    },
    callOptions(signal),
  );
  if (page.runs.length === 0 && !page.hasNext()) return afterNothing(deps, since, signal);
  for (let pages = 1; ; pages += 1) {
    // From the second page on, leave out recent changes. A run that changed between two pages may be out of order.
    const listed = pages === 1 ? page.runs : page.runs.filter((run) => updatedAt(run) < begunAt);
    if (!isHonored(listed, since)) return notHonored(deps);
    await deps.followed.deliverUpdates(page.runs);
    times.push(...timesOf(deps, listed));
    const watermark = nextSince(times, since);
    if (!page.hasNext()) {
      return { mode: 'changes', watermark, ...(await checkOneRun(deps, connection, signal)) };
    }
    if (pages >= mostPages && watermark > since) return { mode: 'changes', watermark, nextInMs: 0 };
    page = await page.next();
  }
};

/**
 * Delivers the newest changes to their requests. Returns the newest change time and the next watermark, or null if
 * there are no runs.
 */
async function readNewest({ followed, runs }: SweepDeps, signal: AbortSignal) {
  const page = await runs.list(
    { sort_by: 'updated_at', sort_order: 'desc', limit: pageSize },
    callOptions(signal),
  );
  await followed.deliverUpdates(page.runs);
  const times = timesOf({ runs }, page.runs).sort((a, b) => a - b);
  const [oldest] = times;
  return {
    newest: times.at(-1) ?? null,
    watermark: oldest === undefined ? null : nextSince(times, oldest - overlap.leastMs),
  };
}

/**
 * Handles an empty list, although the list should contain at least the newest known change. Either that run is gone, or
 * the service's filter is wrong.
 */
async function afterNothing(
  deps: SweepDeps,
  since: number,
  signal: AbortSignal,
): Promise<SweepResult> {
  const { newest, watermark } = await readNewest(deps, signal);
  if (newest !== null && newest > since) return notHonored(deps);
  // Check all followed runs, because the service may have lost some of them.
  return { mode: 'changes', watermark, ...(await sweepActiveList(deps, signal)) };
}

function notHonored({ logger }: SweepDeps): SweepResult {
  logger.info({}, "the runs service can't list changes; listing active runs instead");
  return { mode: 'active list', modeUntil: Date.now() + retryBestModeMs, nextInMs: 0 };
}

/** Overlap of two sweeps, as a number of changes and in ms. It's needed because changes can become visible late. */
const overlap = { changes: 25, leastMs: 250, mostMs: 60_000 };

/** Returns the next watermark after a sweep from `since` that listed changes at these times, oldest first. */
export function nextSince(times: readonly number[], since: number): number {
  const newest = times.at(-1);
  if (newest === undefined) return since;
  const someBack = times.at(-1 - overlap.changes) ?? since;
  const from = Math.min(newest - overlap.leastMs, Math.max(someBack, newest - overlap.mostMs));
  return Math.max(since, from);
}

type Clock = Pick<SweepDeps, 'runs'>;

const serviceNowMs = ({ runs }: Clock): number => runs.serviceNowMs() ?? Date.now();

function timesOf(deps: Clock, listed: readonly Run[]): number[] {
  const latest = serviceNowMs(deps) + mostAheadMs;
  return listed.map(updatedAt).filter((at) => at <= latest);
}

const updatedAt = (run: Run) => Date.parse(run.updated_at);

/** Returns true if the page has the requested filter and order, because a service may ignore both. */
function isHonored(runs: readonly Run[], since: number): boolean {
  const times = runs.map(updatedAt);
  return times.every(
    (at, index) => at >= since - toleranceMs && at >= (times[index - 1] ?? at) - toleranceMs,
  );
}

const activeStates = knownRunStates.filter((state) => !isTerminalState(state));

/**
 * Lists the active runs and polls the followed runs that aren't among them. Polls all runs one by one if that takes
 * fewer requests, or if the service ignores the filter.
 */
export async function sweepActiveList(
  { followed, runs, logger }: SweepDeps,
  signal: AbortSignal,
): Promise<SweepResult> {
  const waiting = new Set(await followed.runIds());
  const count = waiting.size;
  let page = await runs.list({ state: activeStates, limit: pageSize }, callOptions(signal));
  for (let pages = 1; ; pages += 1) {
    const isHonored = page.runs.every((run) => !isTerminalState(run.state));
    if (!isHonored || (pages >= count && page.hasNext())) {
      logger.info({ isHonored, count }, 'reading runs one by one');
      await followed.pollNow();
      return { mode: 'one by one', modeUntil: Date.now() + retryBestModeMs };
    }
    await followed.deliverUpdates(page.runs);
    for (const run of page.runs) waiting.delete(run.run_id);
    if (!page.hasNext()) break;
    page = await page.next();
  }
  await followed.pollNow([...waiting]);
  return {};
}

/** Interval between checks of a single run, in ms. It's the same for any number of followed runs. */
const checkEveryMs = 10_000;

/**
 * Finds what a sweep of changes can't find: a missing run, or a change that was never listed. Checks one run at a time,
 * in the order of their IDs. If something differs, the request is polled.
 */
export const checkOneRun: Sweep = async ({ followed, runs, logger }, connection, signal) => {
  if (connection.checkAt > Date.now()) return {};
  const next = await followed.next(connection.checkedRunId);
  if (!next) return {};
  const { runId, request } = next;
  const swept = { checkAt: Date.now() + checkEveryMs, checkedRunId: runId };
  // Skip a request that can't be read. The follower logs it, and sweeps still work for all others.
  if (!request) return swept;
  try {
    const run = await runs.get(runId, callOptions(signal));
    const isUnchanged = isSame(run, request) && !followedLongEnough(request, run, Date.now());
    if (!isUnchanged) await followed.pollNow([runId]);
    return swept;
  } catch (error) {
    if (signal.aborted) throw error;
    const { code, retryAfterMs } = readFailure(error);
    if (code === 'not_found') await followed.pollNow([runId]);
    // Log a problem with a single run, and let the sweeps continue.
    else logger.warn({ requestId: request.id, code }, 'run not checked');
    return retryAfterMs > 0 ? { ...swept, nextInMs: retryAfterMs } : swept;
  }
};

function isSame(
  run: { state: string; updated_at: string },
  { run: known, pendingUpdate }: FollowedRequest,
): boolean {
  const newest = pendingUpdate ?? known;
  return newest?.state === run.state && newest.updated_at === run.updated_at;
}
