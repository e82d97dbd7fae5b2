/** Changes runs at a rate, and measures when each change is shown. */
import { type FollowingChild, sleepMs } from './following-child.ts';

const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? Number.NaN;

/** A runs API whose runs change. */
export type ChangingRuns = {
  /** @returns the time of the change */
  change(index: number, note: string): number | Promise<number>;
  counted: { lists: number; gets: number };
  /** Start times of sweeps, in epoch ms. */
  sweeps: number[];
};

export type Load = {
  changesPerSecond: number;
  seconds: number;
  /** Time to wait for late changes. Without it, a slow contender that shows little would look fast. */
  drainSeconds: number;
  activeRuns: number;
};

const tickMs = 1_000;

export async function drive(child: FollowingChild, source: ChangingRuns, load: Load) {
  const { changesPerSecond, seconds, drainSeconds, activeRuns } = load;
  const [before, counted] = [await child.usage(), { ...source.counted }];
  source.sweeps.length = 0;
  const changedAt = new Map<string, number>();
  const startedAt = performance.now();
  for (let number = 0; number < changesPerSecond * seconds; number += 1) {
    const note = `change-${number}`;
    changedAt.set(note, await source.change(Math.floor(Math.random() * activeRuns), note));
    const dueMs = (number + 1) * (1_000 / changesPerSecond) - (performance.now() - startedAt);
    if (dueMs > 1) await sleepMs(dueMs);
  }
  const tookMs = performance.now() - startedAt;
  const after = await child.usage();
  const lists = source.counted.lists - counted.lists;
  const gets = source.counted.gets - counted.gets;
  await sleepMs(drainSeconds * 1_000);
  // If a run changes again before it's checked, only the newest state is shown.
  const lateMs = [...changedAt].flatMap(([note, at]) => {
    const shownAt = child.shown.get(note);
    return shownAt === undefined ? [] : [shownAt - at];
  });
  const gapsMs = source.sweeps.slice(1).map((at, index) => at - (source.sweeps[index] ?? at));
  return {
    changes: changedAt.size,
    lists,
    gets,
    ticks: tookMs / tickMs,
    intervalMs: quantile(gapsMs, 0.5),
    medianMs: quantile(lateMs, 0.5),
    p99Ms: quantile(lateMs, 0.99),
    shown: lateMs.length,
    cpuPart: (after.cpuMs - before.cpuMs) / tookMs,
    statements: after.statements - before.statements,
    flushes: after.flushes - before.flushes,
    callsPerSecond: ((after.calls - before.calls) * 1_000) / tookMs,
  };
}
