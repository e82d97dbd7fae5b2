import type { Run } from 'runs-client/contract';
import type { Connection } from '../store/connections.ts';
import { checkOneRun } from './check-one-run.ts';
import { callTimeoutMs } from './runs-port.ts';
import { sweepActiveList } from './sweep-active-list.ts';
import type { SweepParts, Swept } from './sweep-parts.ts';

const pageSize = 100;
/** What was read so far is kept after so many. */
const mostPages = 50;
/** A service may keep whole seconds. */
const toleranceMs = 1_000;
/** A change that claims to come from later than this says nothing about the service's clock. */
const mostAheadMs = 5 * 60_000;
const retryBestModeMs = 10 * 60_000;

/**
 * Asks for what has changed since the last look: costs requests by changes, not by runs. It begins a little before the
 * newest change that is known, so that the answer of a service that can tell changes is never empty.
 */
export async function sweepChanges(
  parts: SweepParts,
  connection: Connection,
  signal: AbortSignal,
): Promise<Swept> {
  const since = connection.watermark;
  if (since === null) {
    const { watermark } = await readNewest(parts, signal);
    // Nothing is listed although runs are followed: single looks are all there is.
    const checked = watermark === null ? await checkOneRun(parts, connection, signal) : {};
    return { mode: 'changes', watermark, ...checked };
  }
  const times: number[] = [];
  let page = await parts.runs.list(
    {
      updated_after: new Date(since).toISOString(),
      sort_by: 'updated_at',
      sort_order: 'asc',
      limit: pageSize,
    },
    options(signal),
  );
  if (page.runs.length === 0 && !page.hasNext()) return afterNothing(parts, since, signal);
  for (let pages = 1; ; pages += 1) {
    if (!isHonoured(page.runs, since)) return notHonoured(parts);
    await parts.followed.deliverNews(page.runs);
    times.push(...timesOf(parts, page.runs));
    const watermark = nextSince(times, since);
    if (!page.hasNext()) {
      return { mode: 'changes', watermark, ...(await checkOneRun(parts, connection, signal)) };
    }
    if (pages >= mostPages && watermark > since) return { mode: 'changes', watermark, nextInMs: 0 };
    page = await page.next();
  }
}

const options = (signal: AbortSignal) => ({ signal, timeoutMs: callTimeoutMs, maxRetries: 0 });

/** Hands over the newest changes; answers when the newest was and from where on to ask, null when there is no run. */
async function readNewest({ followed, runs }: SweepParts, signal: AbortSignal) {
  const page = await runs.list(
    { sort_by: 'updated_at', sort_order: 'desc', limit: pageSize },
    options(signal),
  );
  await followed.deliverNews(page.runs);
  const times = timesOf({ runs }, page.runs).sort((a, b) => a - b);
  const [oldest] = times;
  return {
    newest: times.at(-1) ?? null,
    watermark: oldest === undefined ? null : nextSince(times, oldest - overlap.leastMs),
  };
}

/** Not even the newest change that was known: it is gone, or the filter hides what it should show. */
async function afterNothing(parts: SweepParts, since: number, signal: AbortSignal): Promise<Swept> {
  const { newest, watermark } = await readNewest(parts, signal);
  if (newest !== null && newest > since) return notHonoured(parts);
  // The service has forgotten runs, perhaps some of ours.
  return { mode: 'changes', watermark, ...(await sweepActiveList(parts, signal)) };
}

function notHonoured({ logger }: SweepParts): Swept {
  logger.info({}, 'the runs service cannot tell what has changed; listing active runs instead');
  return { mode: 'active list', modeUntil: Date.now() + retryBestModeMs, nextInMs: 0 };
}

/** Changes may become visible late: the newest ones are asked for again, if that is not too far back. */
const overlap = { changes: 25, leastMs: 250, mostMs: 60_000 };

/** From where on to ask next, after a look since `since` that told of changes at these times, oldest first. */
export function nextSince(times: readonly number[], since: number): number {
  const newest = times.at(-1);
  if (newest === undefined) return since;
  const someBack = times.at(-1 - overlap.changes) ?? since;
  const from = Math.min(newest - overlap.leastMs, Math.max(someBack, newest - overlap.mostMs));
  return Math.max(since, from);
}

function timesOf({ runs }: Pick<SweepParts, 'runs'>, listed: readonly Run[]): number[] {
  const latest = (runs.serviceNowMs() ?? Date.now()) + mostAheadMs;
  return listed.map(updatedAt).filter((at) => at <= latest);
}

const updatedAt = (run: Run) => Date.parse(run.updated_at);

/** A service may ignore a filter or an order that it does not know: then the answer shows it. */
function isHonoured(runs: readonly Run[], since: number): boolean {
  const times = runs.map(updatedAt);
  return times.every(
    (at, index) => at >= since - toleranceMs && at >= (times[index - 1] ?? at) - toleranceMs,
  );
}
