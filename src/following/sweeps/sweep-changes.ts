import type { Run } from 'runs-client/contract';
import { callOptions } from '../runs-port.ts';
import { checkOneRun } from './check-one-run.ts';
import { sweepActiveList } from './sweep-active-list.ts';
import type { Sweep, SweepParts, Swept } from './sweep-parts.ts';

const pageSize = 100;
/** The watermark is saved after this many pages. */
const mostPages = 50;
/** A service may round to seconds. */
const toleranceMs = 1_000;
/** A change further in the future than this is ignored for the watermark. */
const mostAheadMs = 5 * 60_000;
const retryBestModeMs = 10 * 60_000;

/**
 * Asks for what changed since the last sweep: the cost grows with changes, not with runs. Starts a little before the
 * newest known change, so that a service that supports this never answers with nothing. See
 * docs/protocol.md.
 */
export const sweepChanges: Sweep = async (parts, connection, signal) => {
  const since = connection.watermark;
  if (since === null) {
    const { watermark } = await readNewest(parts, signal);
    // Nothing is listed although runs are followed, so they can only be read one by one.
    const checked = watermark === null ? await checkOneRun(parts, connection, signal) : {};
    return { mode: 'changes', watermark, ...checked };
  }
  const times: number[] = [];
  const begunAt = serviceNowMs(parts) - toleranceMs;
  let page = await parts.runs.list(
    {
      updated_after: new Date(since).toISOString(),
      sort_by: 'updated_at',
      sort_order: 'asc',
      limit: pageSize,
    },
    callOptions(signal),
  );
  if (page.runs.length === 0 && !page.hasNext()) return afterNothing(parts, since, signal);
  for (let pages = 1; ; pages += 1) {
    // A run that changes between two pages may keep its place, so it says nothing of their order.
    const listed = pages === 1 ? page.runs : page.runs.filter((run) => updatedAt(run) < begunAt);
    if (!isHonored(listed, since)) return notHonored(parts);
    await parts.followed.deliverUpdates(page.runs);
    times.push(...timesOf(parts, listed));
    const watermark = nextSince(times, since);
    if (!page.hasNext()) {
      return { mode: 'changes', watermark, ...(await checkOneRun(parts, connection, signal)) };
    }
    if (pages >= mostPages && watermark > since) return { mode: 'changes', watermark, nextInMs: 0 };
    page = await page.next();
  }
};

/** Delivers the newest changes. Answers the time of the newest and the next watermark; null if there are no runs. */
async function readNewest({ followed, runs }: SweepParts, signal: AbortSignal) {
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

/** Not even the newest known change was listed: it is gone, or the service's filter is wrong. */
async function afterNothing(parts: SweepParts, since: number, signal: AbortSignal): Promise<Swept> {
  const { newest, watermark } = await readNewest(parts, signal);
  if (newest !== null && newest > since) return notHonored(parts);
  // The service lost runs, perhaps some of ours.
  return { mode: 'changes', watermark, ...(await sweepActiveList(parts, signal)) };
}

function notHonored({ logger }: SweepParts): Swept {
  logger.info({}, "the runs service can't list changes; listing active runs instead");
  return { mode: 'active list', modeUntil: Date.now() + retryBestModeMs, nextInMs: 0 };
}

/** Changes may become visible late, so the newest ones are asked for again, within limits. */
const overlap = { changes: 25, leastMs: 250, mostMs: 60_000 };

/** The next watermark after a sweep from `since` that listed changes at these times, oldest first. */
export function nextSince(times: readonly number[], since: number): number {
  const newest = times.at(-1);
  if (newest === undefined) return since;
  const someBack = times.at(-1 - overlap.changes) ?? since;
  const from = Math.min(newest - overlap.leastMs, Math.max(someBack, newest - overlap.mostMs));
  return Math.max(since, from);
}

type Clock = Pick<SweepParts, 'runs'>;

const serviceNowMs = ({ runs }: Clock): number => runs.serviceNowMs() ?? Date.now();

function timesOf(parts: Clock, listed: readonly Run[]): number[] {
  const latest = serviceNowMs(parts) + mostAheadMs;
  return listed.map(updatedAt).filter((at) => at <= latest);
}

const updatedAt = (run: Run) => Date.parse(run.updated_at);

/** Whether the answer has the filter and order that were asked for: a service may ignore both. */
function isHonored(runs: readonly Run[], since: number): boolean {
  const times = runs.map(updatedAt);
  return times.every(
    (at, index) => at >= since - toleranceMs && at >= (times[index - 1] ?? at) - toleranceMs,
  );
}
