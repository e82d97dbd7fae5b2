import { isTerminalState, knownRunStates } from 'runs-client/contract';
import { callOptions } from '../runs-port.ts';
import type { SweepParts, Swept } from './sweep-parts.ts';

const pageSize = 100;
const activeStates = knownRunStates.filter((state) => !isTerminalState(state));
const retryBestModeMs = 10 * 60_000;

/**
 * Lists the active runs and reads the followed runs that aren't among them. If that takes more requests than reading
 * each run, or if the service ignores the filter, runs are read one by one.
 */
export async function sweepActiveList(
  { followed, runs, logger }: SweepParts,
  signal: AbortSignal,
): Promise<Swept> {
  const waiting = new Set(await followed.runIds());
  const count = waiting.size;
  let page = await runs.list({ state: activeStates, limit: pageSize }, callOptions(signal));
  for (let pages = 1; ; pages += 1) {
    const isHonored = page.runs.every((run) => !isTerminalState(run.state));
    if (!isHonored || (pages >= count && page.hasNext())) {
      logger.info({ isHonored, count }, 'reading runs one by one');
      await followed.lookNow();
      return { mode: 'one by one', modeUntil: Date.now() + retryBestModeMs };
    }
    await followed.deliverUpdates(page.runs);
    for (const run of page.runs) waiting.delete(run.run_id);
    if (!page.hasNext()) break;
    page = await page.next();
  }
  await followed.lookNow([...waiting]);
  return {};
}
