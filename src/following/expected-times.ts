/** Computes run durations, and the time to nudge a creator. */
import { isTerminalState } from 'runs-client/contract';
import type { RunLength } from '../store/following/run-lengths.ts';
import type { RunRequest } from '../store/requests/request-row.ts';

/** Returns the requested environment, or an empty name if the request names none. */
export const environmentOf = ({ config }: Pick<RunRequest, 'config'>): string =>
  config.environment_id ?? '';

/** Returns how long an ended run waited and worked, by the service's clock. Undefined if the service gives no times. */
export function readLength(request: RunRequest): RunLength | undefined {
  const { run, id: requestId } = request;
  const started = Date.parse(run?.started_at ?? '');
  if (!run || !isTerminalState(run.state) || Number.isNaN(started)) return undefined;
  const endedAt = Date.parse(run.updated_at);
  const waitedMs = between(Date.parse(run.created_at), started);
  // Use only successful runs, because the others don't show how long the work usually takes.
  const workedMs = run.state === 'SUCCEEDED' ? between(started, endedAt) : null;
  const environment = environmentOf(request);
  return { requestId, environment, waitedMs, workedMs, endedAt: endedAt || Date.now() };
}

const between = (from: number, to: number) => (to >= from ? Math.round(to - from) : null);

const farBeyond = 3;
/**
 * Min time beyond the usual duration before a nudge, in ms. A run that usually takes seconds can easily take a minute.
 */
const leastBeyondMs = 10 * 60_000;

/**
 * Returns the time to nudge the creator because the run needs input or takes far longer than usual. Null means never.
 */
export function nudgeAt({ step, run, usual, unfollowedAt }: RunRequest): number | null {
  if (step !== 'following' || !run || unfollowedAt !== null) return null;
  if (run.state === 'BLOCKED') return 0;
  const started = Date.parse(run.started_at ?? '');
  const workMs = usual?.workMs;
  if (Number.isNaN(started) || workMs === undefined) return null;
  return Math.round(started + Math.max(farBeyond * workMs, workMs + leastBeyondMs));
}
