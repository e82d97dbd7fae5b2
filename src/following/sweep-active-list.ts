import { isTerminalState, knownRunStates } from 'runs-client/contract';
import { callTimeoutMs } from './runs-port.ts';
import type { SweepParts, Swept } from './sweep-parts.ts';

const pageSize = 100;
const activeStates = knownRunStates.filter((state) => !isTerminalState(state));
const retryBestModeMs = 10 * 60_000;

/**
 * Lists the active runs and looks singly at those followed runs that are no longer among them. Where that takes more
 * requests than looking at each, or where the service ignores the filter, runs are looked at one by one.
 */
export async function sweepActiveList(
  { followed, runs, logger }: SweepParts,
  signal: AbortSignal,
): Promise<Swept> {
  const waiting = new Set(await followed.runIds());
  const count = waiting.size;
  let page = await runs.list(
    { state: activeStates, limit: pageSize },
    { signal, timeoutMs: callTimeoutMs, maxRetries: 0 },
  );
  for (let pages = 1; ; pages += 1) {
    const isHonoured = page.runs.every((run) => !isTerminalState(run.state));
    if (!isHonoured || (pages >= count && page.hasNext())) {
      logger.info({ isHonoured, count }, 'looking at runs one by one');
      await followed.lookNow();
      return { mode: 'one by one', modeUntil: Date.now() + retryBestModeMs };
    }
    await followed.deliverNews(page.runs);
    for (const run of page.runs) waiting.delete(run.run_id);
    if (!page.hasNext()) break;
    page = await page.next();
  }
  await followed.lookNow([...waiting]);
  return {};
}
