import { isTerminalState } from 'runs-client/contract';
import type { RunRequest } from '../../store/request-row.ts';

/** Epoch milliseconds; undefined for what is not known. */
export type RunTimes = {
  asked: number;
  started: number | undefined;
  ended: number | undefined;
  /** How long the run worked, in milliseconds. */
  tookMs: number | undefined;
};

/** The service's own times where it gives them: they are nearer to the truth than when we heard of it. */
export function readRunTimes({
  run,
  acceptedAt,
  endedAt,
}: Pick<RunRequest, 'run' | 'acceptedAt' | 'endedAt'>): RunTimes {
  const started = readTime(run?.started_at);
  const hasEnded = run !== null && isTerminalState(run.state);
  const workedMs = readDurationMs(run?.run_time);
  const byDuration = started !== undefined && workedMs !== undefined && started + workedMs;
  const ended = hasEnded
    ? byDuration || (readTime(run.updated_at) ?? endedAt ?? undefined)
    : (endedAt ?? undefined);
  const between = hasEnded && started !== undefined && ended !== undefined && ended - started;
  const tookMs = hasEnded ? (workedMs ?? (between || undefined)) : undefined;
  return { asked: acceptedAt, started, ended, tookMs };
}

/** The widest range of a JavaScript date, in milliseconds. */
const lastTime = 8.64e15;

function readTime(text: string | null | undefined): number | undefined {
  const at = Date.parse(text ?? '');
  return Math.abs(at) <= lastTime && at >= 0 ? at : undefined;
}

const durationPattern = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/;

/** ISO 8601 durations up to days: what a run may last. */
export function readDurationMs(text: string | null | undefined): number | undefined {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = text?.match(durationPattern) ?? [];
  const ms = (((+days * 24 + +hours) * 60 + +minutes) * 60 + +seconds) * 1000;
  return text && ms > 0 && ms < lastTime ? ms : undefined;
}
