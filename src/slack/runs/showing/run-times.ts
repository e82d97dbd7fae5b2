import { isTerminalState } from 'runs-client/contract';
import type { RunRequest } from '../../../store/requests/request-row.ts';

/** Times of a run, in epoch ms. Undefined if unknown. */
type RunTimes = {
  asked: number;
  started: number | undefined;
  ended: number | undefined;
  /** Duration of an ended run. Undefined before the end, or without a start time. */
  tookMs: number | undefined;
};

/** Returns the times of a request's run. Prefers the service's times, because the app learns of each change later. */
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

/** Limit of JavaScript dates, in epoch ms. */
const lastTime = 8.64e15;

function readTime(text: string | null | undefined): number | undefined {
  const at = Date.parse(text ?? '');
  return Math.abs(at) <= lastTime && at >= 0 ? at : undefined;
}

const durationPattern = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/;

/** Reads an ISO 8601 duration in days and smaller units. */
export function readDurationMs(text: string | null | undefined): number | undefined {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = text?.match(durationPattern) ?? [];
  const ms = (((+days * 24 + +hours) * 60 + +minutes) * 60 + +seconds) * 1000;
  return text && ms > 0 && ms < lastTime ? ms : undefined;
}
