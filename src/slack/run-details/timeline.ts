import { originFacts } from '../runs/showing/run-facts.ts';
import { readRunTimes } from '../runs/showing/run-times.ts';
import { durationText, time } from '../text/dates.ts';
import type { DetailedRun } from './detailed-run.ts';

/** What happened to a run, one line each, in order. */
export function timeline(detailed: DetailedRun): string[] {
  const { asked, started, ended, tookMs } = readRunTimes(detailed);
  const steps: [at: number | null | undefined, what: string][] = [
    [asked, [`requested by ${detailed.creator}`, ...originFacts(detailed)].join(', ')],
    [detailed.createBeganAt, 'sent to the runs service'],
    [started, 'started'],
    [detailed.cancelAskedAt, `cancel requested by <@${detailed.cancelAskedBy}>`],
    [detailed.unfollowedAt, 'stopped following'],
    [ended, `ended${tookMs === undefined ? '' : ` after ${durationText(tookMs)}`}`],
  ];
  return steps
    .flatMap(([at, what]) => (typeof at === 'number' ? [{ at, what }] : []))
    .sort((a, b) => a.at - b.at)
    .map(({ at, what }) => `${time(at)}: ${what}`);
}
