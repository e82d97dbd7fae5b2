import type { ReplyInfo, WithResponse } from './api-call.ts';
import type { CallOptions } from './call-options.ts';
import type { ListRunsQuery, ListRunsResponse, Run } from './contract.ts';
import { type CreateAttempt, matchRun, type RunMatch, requestIdKey } from './create-attempt.ts';
import { RunsApiError } from './runs-api-error.ts';

export type FoundRun =
  /** `isSure` is false where only prompt, title and configuration could be compared. */
  | { outcome: 'found'; run: Run; isSure: boolean; reply: ReplyInfo }
  /** None was created, and none will be: a new create is safe. */
  | { outcome: 'none' }
  /** Nothing found so far, but one may still appear: look again later. */
  | { outcome: 'unsure'; why: string };

export type FindOptions = Pick<CallOptions, 'signal' | 'timeoutMs' | 'maxRetries' | 'headers'> & {
  /** Whether a run belongs to another request; asked only where the service keeps no metadata. */
  isTaken?: ((runId: string) => boolean | Promise<boolean>) | undefined;
  /** How long after its request was given up a service may still create the run. */
  settleMs?: number | undefined;
};

/** The reads that finding needs. */
export type RunsReader = {
  list(query: ListRunsQuery, call: CallOptions): Promise<WithResponse<ListRunsResponse>>;
  get(runId: string, call: CallOptions): Promise<WithResponse<Run>>;
};

/** By how much clocks may differ when the service sends no `Date` header. */
const unknownSkewMs = 5 * 60_000;
/** A `Date` header has whole seconds, and the service's database may keep a clock of its own. */
const dateToleranceMs = 5_000;
const pageSize = 100;
const mostPages = 50;

/** Looks for the run that an attempt may have created: by request id, else among the newest runs. */
export async function findCreated(
  reader: RunsReader,
  attempt: CreateAttempt,
  options: FindOptions & { settleMs: number },
): Promise<FoundRun> {
  const lookedMs = Date.now();
  const search = createSearch(reader, attempt, options);
  const byMetadata = await findByMetadata(search);
  if (typeof byMetadata === 'object') return byMetadata;
  const found = await findAmongNewest(search, byMetadata);
  if (found) return found;
  if (lookedMs < attempt.lastSentMs + options.settleMs) {
    return { outcome: 'unsure', why: 'the service may still be creating the run' };
  }
  return { outcome: 'none' };
}

type Search = {
  attempt: CreateAttempt;
  list(query: ListRunsQuery): Promise<WithResponse<ListRunsResponse>>;
  get(runId: string): Promise<WithResponse<Run>>;
  isTaken(runId: string): Promise<boolean>;
};

/** All reads of one search share its time limit. */
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
    list: (query) => reader.list(query, call()),
    get: (runId) => reader.get(runId, call()),
    isTaken: async (runId) => (await options.isTaken?.(runId)) ?? false,
  };
}

/** Besides the run: whether the filter gave nothing, or showed that it is not known. */
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
  const earliestMs = search.attempt.notBeforeMs - unknownSkewMs;
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { data, ...reply } = await search.list(newestQuery(earliestMs, cursor));
    const behindMs = readBehindMs(reply.headers['date']);
    for (const run of data.runs) {
      const match = await confirmMatch(search, run, behindMs);
      if (match !== 'no') return { outcome: 'found', run, isSure: match === 'surely', reply };
    }
    // The service keeps request ids, so that its filter was right to give nothing.
    const keepsRequestIds = data.runs.some((run) => run.metadata?.[requestIdKey] !== undefined);
    if (byMetadata === 'nothing' && keepsRequestIds) return undefined;
    const { has_next_page, next_cursor } = data.page_info;
    if (!has_next_page || isPast(data.runs, earliestMs)) return undefined;
    if (!next_cursor) break;
    cursor = next_cursor;
  }
  return { outcome: 'unsure', why: 'the list of newer runs has no end that can be reached' };
}

function newestQuery(earliestMs: number, cursor: string | undefined): ListRunsQuery {
  const created_after = new Date(earliestMs).toISOString();
  const order = { sort_by: 'created_at', sort_order: 'desc', limit: pageSize } as const;
  return cursor === undefined ? { ...order, created_after } : { ...order, created_after, cursor };
}

async function confirmMatch(
  { attempt, isTaken, get }: Search,
  run: Run,
  behindMs: number,
): Promise<RunMatch> {
  const match = matchRun(attempt, run);
  if (match !== 'by content') return match;
  // An earlier identical run is somebody else's.
  if (Date.parse(run.created_at) < attempt.notBeforeMs - behindMs) return 'no';
  if (await isTaken(run.run_id)) return 'no';
  // Lists may leave metadata out that the run itself has.
  const { data } = await get(run.run_id);
  return matchRun(attempt, data);
}

/** How far the service's clock may be behind ours. */
function readBehindMs(date: string | string[] | undefined): number {
  const serviceMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(serviceMs)) return unknownSkewMs;
  return Date.now() - serviceMs + dateToleranceMs;
}

/** Newest first is believed only if the page shows it. */
function isPast(runs: readonly Run[], earliestMs: number): boolean {
  const created = runs.map((run) => Date.parse(run.created_at));
  const isSorted = created.every((at, index) => index === 0 || at <= (created[index - 1] ?? at));
  return isSorted && (created.at(-1) ?? Number.POSITIVE_INFINITY) < earliestMs;
}
