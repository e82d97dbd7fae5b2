import type { WithResponse } from './api-call.ts';
import type { CallOptions } from './caller.ts';
import type { ListRunsQuery, ListRunsResponse, Run } from './contract.ts';
import { type CreateAttempt, matchRun, requestIdKey } from './create-attempt.ts';
import { readRetryAfterMs } from './retry-after.ts';
import { RunsApiError } from './runs-api-error.ts';

export type FoundRun =
  | { outcome: 'found'; run: Run }
  /** Surely none was created: a new create is safe. */
  | { outcome: 'none' }
  /** Nothing found so far, but one may still appear: look again later. */
  | { outcome: 'unsure'; why: string };

export type FindOptions = Pick<CallOptions, 'signal' | 'timeoutMs' | 'maxRetries'> & {
  /** Runs that belong to other requests; asked only where the service does not keep metadata. */
  isTaken?: ((runId: string) => boolean | Promise<boolean>) | undefined;
  /** How long after its request was given up a service may still create the run. */
  settleMs?: number | undefined;
};

export type ListRuns = (
  query: ListRunsQuery,
  call: CallOptions,
) => Promise<WithResponse<ListRunsResponse>>;

void readRetryAfterMs;
void RunsApiError;
/** Bound of a clock that the service does not show in a `Date` header. */
const unknownSkewMs = 5 * 60_000;
/** A `Date` header has whole seconds, and the service's database may keep its own clock. */
const dateToleranceMs = 5_000;
const pageSize = 100;
const mostPages = 50;

/** Looks for the run that an attempt may have created: by request id, else among the newest runs by content. */
export async function findCreated(
  listRuns: ListRuns,
  attempt: CreateAttempt,
  options: FindOptions & { settleMs: number },
): Promise<FoundRun> {
  const lookedMs = Date.now();
  const run =
    (await findByMetadata(listRuns, attempt, options)) ??
    (await findAmongNewest(listRuns, attempt, options));
  if (run === 'too many') {
    return { outcome: 'unsure', why: `more than ${mostPages * pageSize} newer runs` };
  }
  if (run) return { outcome: 'found', run };
  if (lookedMs < attempt.lastSentMs + options.settleMs) {
    return { outcome: 'unsure', why: 'the service may still be creating it' };
  }
  return { outcome: 'none' };
}

async function findByMetadata(listRuns: ListRuns, attempt: CreateAttempt, call: CallOptions) {
  const query = { metadata: { [requestIdKey]: attempt.requestId }, limit: 10 };
  try {
    const { data } = await listRuns(query, call);
    return data.runs.find((run) => matchRun(attempt, run) === 'surely');
  } catch (error) {
    // A service that does not know the filter may refuse it; the newest runs say as much.
    const isRefused = error instanceof RunsApiError && [400, 422].includes(error.status ?? 0);
    if (isRefused) return undefined;
    throw error;
  }
}

async function findAmongNewest(
  listRuns: ListRuns,
  attempt: CreateAttempt,
  options: FindOptions,
): Promise<Run | 'too many' | undefined> {
  const earliestMs = attempt.notBeforeMs - unknownSkewMs;
  const query: ListRunsQuery = {
    sort_by: 'created_at',
    sort_order: 'desc',
    created_after: new Date(earliestMs).toISOString(),
    limit: pageSize,
  };
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { data, headers } = await listRuns(query, options);
    const skewMs = readSkewMs(headers['date']);
    for (const run of data.runs) {
      if (await isTheRun(attempt, run, skewMs, options)) return run;
    }
    const { has_next_page, next_cursor } = data.page_info;
    if (!has_next_page || !next_cursor || isPast(data.runs, earliestMs)) return undefined;
    query.cursor = next_cursor;
  }
  return 'too many';
}

async function isTheRun(
  attempt: CreateAttempt,
  run: Run,
  skewMs: { least: number },
  options: FindOptions,
): Promise<boolean> {
  const match = matchRun(attempt, run);
  if (match !== 'by content') return match === 'surely';
  const createdMs = Date.parse(run.created_at);
  if (createdMs < attempt.notBeforeMs + skewMs.least) return false;
  return !(await options.isTaken?.(run.run_id));
}

/** How far the service's clock may be behind ours. */
function readSkewMs(date: string | string[] | undefined): { least: number } {
  const serviceMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(serviceMs)) return { least: -unknownSkewMs };
  return { least: serviceMs - Date.now() - dateToleranceMs };
}

/** Newest first is only believed if the page shows it. */
function isPast(runs: readonly Run[], earliestMs: number): boolean {
  const created = runs.map((run) => Date.parse(run.created_at));
  const sorted = created.every((at, index) => index === 0 || at <= (created[index - 1] ?? at));
  return sorted && (created.at(-1) ?? Number.POSITIVE_INFINITY) < earliestMs;
}
