/** The usual lengths of runs, and the time to nudge a creator. */
import { isTerminalState } from 'runs-client/contract';
import type { RunLength } from '../store/following/run-lengths.ts';
import type { RunRequest } from '../store/requests/request-row.ts';

/** Returns the requested environment. Runs in the service's default environment are compared with each other. */
export const environmentOf = ({ config }: Pick<RunRequest, 'config'>): string =>
  config.environment_id ?? '';

/** Returns the time that an ended run waited and worked, by the service's clock; undefined if it gives no times. */
export function readLength(request: RunRequest): RunLength | undefined {
  const { run, id: requestId } = request;
  const started = Date.parse(run?.started_at ?? '');
  if (!run || !isTerminalState(run.state) || Number.isNaN(started)) return undefined;
  const endedAt = Date.parse(run.updated_at);
  const waitedMs = between(Date.parse(run.created_at), started);
  // Failed and canceled runs say nothing about how long the work takes.
  const workedMs = run.state === 'SUCCEEDED' ? between(started, endedAt) : null;
  const environment = environmentOf(request);
  return { requestId, environment, waitedMs, workedMs, endedAt: endedAt || Date.now() };
}

const between = (from: number, to: number) => (to >= from ? Math.round(to - from) : null);

const farBeyond = 3;
/** A run of seconds may take a minute. */
const leastBeyondMs = 10 * 60_000;

/** Returns the time to nudge the creator because the run needs input or takes far longer than usual; null for never. */
export function nudgeAt({ step, run, usual, unfollowedAt }: RunRequest): number | null {
  if (step !== 'following' || !run || unfollowedAt !== null) return null;
  if (run.state === 'BLOCKED') return 0;
  const started = Date.parse(run.started_at ?? '');
  const workMs = usual?.workMs;
  if (Number.isNaN(started) || workMs === undefined) return null;
  return Math.round(started + Math.max(farBeyond * workMs, workMs + leastBeyondMs));
}
