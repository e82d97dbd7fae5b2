import type { CallOptions } from '../call-options.ts';
import type { ListRunsQuery, ListRunsResponse, Run } from '../contract.ts';
import { type CreateAttempt, matchRun, requestIdKey } from '../create-attempt.ts';
import type { ReplyInfo, WithResponse } from '../http/api-calls.ts';
import type { ServiceClock } from '../http/service-clock.ts';
import { RunsApiError } from '../runs-api-error.ts';

export type FoundRun =
  /** The run was found. `isSure` is false if only prompt, title and configuration could be compared. */
  | { outcome: 'found'; run: Run; isSure: boolean; reply: ReplyInfo }
  /** No run exists or will appear, so sending the create request again is safe. */
  | { outcome: 'none' }
  /** No run was found, but one may still appear. Search again later. */
  | { outcome: 'unsure'; why: string };

export type FindOptions = Pick<CallOptions, 'signal' | 'timeoutMs' | 'maxRetries' | 'headers'> & {
  /**
   * Returns true if a run is already known to belong to another request. Called only if the service keeps no metadata.
   */
  isTaken?: ((runId: string) => boolean | Promise<boolean>) | undefined;
  /** Time in ms after the end of a request in which the service may still create the run. */
  settleMs?: number | undefined;
};

export type RunsReader = {
  list(query: ListRunsQuery, call: CallOptions): Promise<WithResponse<ListRunsResponse>>;
  get(runId: string, call: CallOptions): Promise<WithResponse<Run>>;
  clock: ServiceClock;
};

const pageSize = 100;
const mostPages = 50;

/** Searches for the run that an attempt may have created: by request ID, then among the newest runs. */
export async function findCreated(
  reader: RunsReader,
  attempt: CreateAttempt,
  options: FindOptions & { settleMs: number },
): Promise<FoundRun> {
  const readElapsed = startElapsed(attempt, reader.clock);
  const search = createSearch(reader, attempt, options);
  const byMetadata = await findByMetadata(search);
  if (typeof byMetadata === 'object') return byMetadata;
  const found = await findAmongNewest(search, byMetadata);
  if (found) return found;
  if (!isSettled(readElapsed(), options.settleMs)) {
    return { outcome: 'unsure', why: 'the service may still be creating the run' };
  }
  return { outcome: 'none' };
}

type Search = {
  attempt: CreateAttempt;
  clock: ServiceClock;
  list(query: ListRunsQuery): Promise<WithResponse<ListRunsResponse>>;
  get(runId: string): Promise<WithResponse<Run>>;
  isTaken(runId: string): Promise<boolean>;
};

/** Creates the functions that read runs for one search. All reads share one deadline. */
function createSearch(reader: RunsReader, attempt: CreateAttempt, options: FindOptions): Search {
  const { signal, maxRetries, headers, timeoutMs } = options;
  const deadlineMs = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  const call = (): CallOptions => ({
    signal,
    maxRetries,
    headers,
    timeoutMs: deadlineMs === undefined ? undefined : deadlineMs - performance.now(),
  });
  return {
    attempt,
    clock: reader.clock,
    list: (query) => reader.list(query, call()),
    get: (runId) => reader.get(runId, call()),
    isTaken: async (runId) => (await options.isTaken?.(runId)) ?? false,
  };
}

/**
 * Searches for a run by its request ID. If there's no such run, returns `nothing` for an empty result, and `ignored` if
 * the service doesn't support the filter.
 */
async function findByMetadata(search: Search): Promise<FoundRun | 'nothing' | 'ignored'> {
  const metadata = { [requestIdKey]: search.attempt.requestId };
  try {
    const { data, ...reply } = await search.list({ metadata, limit: 10 });
    const run = data.runs.find((each) => matchRun(search.attempt, each) === 'surely');
    if (run) return { outcome: 'found', run, isSure: true, reply };
    return data.runs.length === 0 ? 'nothing' : 'ignored';
  } catch (error) {
    if (error instanceof RunsApiError && [400, 422].includes(error.status ?? 0)) return 'ignored';
    throw error;
  }
}

async function findAmongNewest(
  search: Search,
  byMetadata: 'nothing' | 'ignored',
): Promise<FoundRun | undefined> {
  const window = readWindow(search.attempt, search.clock);
  const matches: Match[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { data, ...reply } = await search.list(newestQuery(window.searchFromMs, cursor));
    for (const run of data.runs) {
      const match = matchRun(search.attempt, run);
      if (match === 'surely') return { outcome: 'found', run, isSure: true, reply };
      if (match === 'by content') matches.push({ run, reply });
    }
    // Stop searching if any run has a request ID. The service then keeps these IDs and supports the filter, so the
    // run doesn't exist.
    const keepsRequestIds = data.runs.some((run) => run.metadata?.[requestIdKey] !== undefined);
    if (byMetadata === 'nothing' && keepsRequestIds) return pickMatch(search, window, matches);
    const { has_next_page, next_cursor } = data.page_info;
    const isAtEnd = !has_next_page || isPast(data.runs, window.searchFromMs);
    if (isAtEnd) return pickMatch(search, window, matches);
    if (!next_cursor) break;
    cursor = next_cursor;
  }
  const picked = await pickMatch(search, window, matches);
  const why = 'the list of newer runs is too long to search';
  return picked ?? { outcome: 'unsure', why };
}

function newestQuery(earliestMs: number, cursor: string | undefined): ListRunsQuery {
  const created_after = new Date(earliestMs).toISOString();
  const order = { sort_by: 'created_at', sort_order: 'desc', limit: pageSize } as const;
  return cursor === undefined ? { ...order, created_after } : { ...order, created_after, cursor };
}

type Match = { run: Run; reply: ReplyInfo };

/**
 * Chooses the first identical run that was created after the attempt began. Several identical attempts then get
 * different runs. If there's none, chooses the last earlier run that clock differences can explain.
 */
async function pickMatch(
  { attempt, isTaken, get }: Search,
  { likelyFromMs, earliestMs, isKnown }: CreationWindow,
  matches: readonly Match[],
): Promise<FoundRun | undefined> {
  const createdMs = ({ run }: Match) => Date.parse(run.created_at);
  const sorted = matches.toSorted((one, other) => createdMs(one) - createdMs(other));
  const isLikely = (match: Match) => createdMs(match) >= likelyFromMs;
  const isTooEarly = (match: Match) => createdMs(match) < earliestMs;
  const possible = sorted.filter((match) => !isLikely(match) && !isTooEarly(match));
  for (const { run, reply } of [...sorted.filter(isLikely), ...possible.reverse()]) {
    if (await isTaken(run.run_id)) continue;
    // Read the run itself, because lists may leave out its metadata.
    const confirmed = matchRun(attempt, (await get(run.run_id)).data);
    if (confirmed !== 'no') return { outcome: 'found', run, isSure: confirmed === 'surely', reply };
  }
  if (isKnown) return undefined;
  for (const { run } of sorted.filter(isTooEarly)) {
    if (await isTaken(run.run_id)) continue;
    const why = `the service's time isn't known, and ${run.run_id} may be the run or an earlier one`;
    return { outcome: 'unsure', why };
  }
  return undefined;
}

/**
 * Returns true if all runs on later pages are too old. Only a sorted page can prove that, because services may ignore
 * the requested order.
 */
function isPast(runs: readonly Run[], earliestMs: number): boolean {
  const created = runs.map((run) => Date.parse(run.created_at));
  const isSorted = created.every((at, index) => index === 0 || at <= (created[index - 1] ?? at));
  return isSorted && (created.at(-1) ?? Number.POSITIVE_INFINITY) < earliestMs;
}

/**
 * Period in which the attempt's run may have been created, allowing for clock differences. Times are in epoch ms by the
 * service's clock.
 */
type CreationWindow = {
  likelyFromMs: number;
  /** Earliest possible creation. An older identical run belongs to another request. */
  earliestMs: number;
  /** Start of the search. Runs created earlier aren't listed. */
  searchFromMs: number;
  /** False if the service's clock isn't known. An older run may then be the attempt's run as well. */
  isKnown: boolean;
};

/**
 * Tolerance for the service's clock, in ms. A `Date` header has whole seconds, and the service's database may use
 * another clock.
 */
const toleranceMs = 5_000;
/** Max clock difference that is assumed if the service's time isn't known, in ms. */
const unknownSkewMs = 5 * 60_000;
const largestSkewMs = 25 * 60 * 60_000;

function readWindow(attempt: CreateAttempt, clock: ServiceClock): CreationWindow {
  const { notBeforeMs, notBeforeServiceMs } = attempt;
  const serviceMs = clock.nowMs();
  const byElapsed =
    serviceMs === undefined ? [] : [serviceMs - Math.max(0, Date.now() - notBeforeMs)];
  // Use the time that was saved and the one that is calculated now. They differ if a clock was changed in between.
  const times = notBeforeServiceMs === undefined ? byElapsed : [notBeforeServiceMs, ...byElapsed];
  if (times.length === 0) {
    const earliestMs = notBeforeMs - unknownSkewMs;
    const searchFromMs = notBeforeMs - largestSkewMs;
    return { likelyFromMs: notBeforeMs, earliestMs, searchFromMs, isKnown: false };
  }
  const earliestMs = Math.min(...times) - toleranceMs;
  return { likelyFromMs: Math.max(...times), earliestMs, searchFromMs: earliestMs, isKnown: true };
}

/**
 * Returns a function that calculates how long ago the attempt was last sent, in ms by each known clock. The time ends
 * at the call of `startElapsed`.
 */
function startElapsed(attempt: CreateAttempt, clock: ServiceClock): () => number[] {
  const { requestId, lastSentMs, lastSentServiceMs } = attempt;
  const [startMs, startSteadyMs] = [Date.now(), performance.now()];
  const sinceSentMs = clock.sinceSentMs(requestId);
  return () => {
    const serviceMs = clock.nowMs();
    const isKnown = serviceMs !== undefined && lastSentServiceMs !== undefined;
    const sinceStartMs = performance.now() - startSteadyMs;
    return [
      startMs - lastSentMs,
      ...(sinceSentMs === undefined ? [] : [sinceSentMs]),
      ...(isKnown ? [serviceMs - sinceStartMs - lastSentServiceMs] : []),
    ];
  };
}

/**
 * Returns true if the service can't create the run anymore. Ignores negative times, because they come from clocks that
 * were set back.
 */
function isSettled(elapsedMs: readonly number[], settleMs: number): boolean {
  const possible = elapsedMs.filter((ms) => ms >= -toleranceMs);
  return possible.length > 0 && possible.every((ms) => ms >= settleMs);
}
