import type { Run } from '../runs-api/contract.ts';
import type { Connection } from '../store/connections.ts';
import { callTimeoutMs } from './runs-port.ts';
import type { SweepParts, Swept } from './sweep.ts';

const pageSize = 100;
const mostPages = 50;
/** Changes may become visible a little out of order, and several may have the same time. */
const overlapMs = 250;
/** A service may keep whole seconds. */
const toleranceMs = 1_000;
const firstLookBackMs = 5 * 60_000;
const retryBestModeMs = 10 * 60_000;

/** Asks for what has changed since the last look: costs requests by changes, not by runs. */
export async function sweepChanges(
  { followed, runs, logger }: SweepParts,
  connection: Connection,
  signal: AbortSignal,
): Promise<Swept> {
  const since = (connection.watermark ?? Date.now() - firstLookBackMs) - overlapMs;
  let watermark = connection.watermark ?? since;
  let page = await runs.list(
    {
      updated_after: new Date(since).toISOString(),
      sort_by: 'updated_at',
      sort_order: 'asc',
      limit: pageSize,
    },
    { signal, timeoutMs: callTimeoutMs, maxRetries: 0 },
  );
  for (let pages = 1; ; pages += 1) {
    if (!isHonoured(page.runs, since)) {
      logger.info({}, 'the runs service cannot tell what has changed; listing active runs instead');
      return { mode: 'active list', modeUntil: Date.now() + retryBestModeMs, nextInMs: 0 };
    }
    const ours = await followed.amongFollowed(page.runs.map((run) => run.run_id));
    await followed.deliverNews(page.runs.filter((run) => ours.has(run.run_id)));
    watermark = Math.max(watermark, ...page.runs.map(updatedAt));
    if (!page.hasNext()) return { mode: 'changes', watermark };
    if (pages === mostPages) return { mode: 'changes', watermark, nextInMs: 0 };
    page = await page.next();
  }
}

const updatedAt = (run: Run) => Date.parse(run.updated_at);

/** A service may ignore a filter or an order that it does not know: then the answer shows it. */
function isHonoured(runs: readonly Run[], since: number): boolean {
  const times = runs.map(updatedAt);
  return times.every(
    (at, index) => at >= since - toleranceMs && at >= (times[index - 1] ?? at) - toleranceMs,
  );
}
