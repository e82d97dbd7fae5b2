import type { Task } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import type {
  Connection,
  ConnectionChanges,
  Connections,
} from '../../store/following/connections.ts';
import { pollDelayMs } from '../poll-delays.ts';
import { type CallFailure, callOptions, readFailure } from '../runs-port.ts';
import type { Sweep, SweepDeps } from './sweep-changes.ts';
import { sweepActiveList, sweepChanges } from './sweep-changes.ts';

/** Duration of an outage after which messages show it, in ms. */
const showAfterMs = 2_500;
/** Max delay between two probes of a service that is down, in ms. */
const longestProbeDelayMs = 15_000;
/** Delay of the next probe if runs are polled one by one, in ms. The sweep only checks then that the service is up. */
const probeDelayMs = 30_000;
/** Delay of the next sweep while changes are announced, in ms. Sweeps then only find changes without an event. */
const announcedDelayMs = 30_000;

/**
 * Creates the task that sweeps a leased connection.
 * @param afterSweep called when requests may be due
 */
export function sweepTask(
  deps: SweepDeps & { connections: Pick<Connections, 'record'> },
  connection: Connection,
  afterSweep: () => void,
): Task<ConnectionChanges> {
  let changes: ConnectionChanges = {};
  return {
    changes: () => changes,
    async run(signal) {
      const swept = await sweep(deps, connection, signal);
      changes = swept.changes;
      if (connection.failures > 0 && changes.failures === 0) {
        // Save the recovery first. A request that tries while the service is still marked as down would wait again.
        await deps.connections.record(connection, changes);
        await deps.followed.retryWaitingNow();
      }
      afterSweep();
      return swept.nextInMs === null ? null : Date.now() + swept.nextInMs;
    },
  };
}

/**
 * Finds what changed for all followed runs of a connection, in the cheapest way that its service supports. Also acts as
 * the circuit breaker. While the API is down, only the sweep probes it, and messages show since when it's down.
 * @returns what to save, and when to sweep next; null if no run is followed or waited for, and no result may change
 */
export async function sweep(
  deps: SweepDeps,
  connection: Connection,
  signal: AbortSignal,
): Promise<{ changes: ConnectionChanges; nextInMs: number | null }> {
  const { followed } = deps;
  const youngest = await followed.youngestAt();
  if (youngest === undefined) return { changes: {}, nextInMs: null };
  try {
    const { nextInMs, ...changes } = await look(deps, connection, signal);
    // Hide the problem even if it isn't saved as shown, because a process may be killed before saving that.
    if (connection.problemShown || connection.failures > 0) await followed.hideProblem();
    const healthy = { failures: 0, problem: null, problemShown: false };
    const isAnnounced = changes.mode === 'changes' && deps.isListening();
    const usualMs = isAnnounced ? announcedDelayMs : pollDelayMs(Date.now() - youngest);
    return { changes: { ...healthy, ...changes }, nextInMs: nextInMs ?? usualMs };
  } catch (error) {
    if (signal.aborted) return { changes: {}, nextInMs: 0 };
    return await afterFailure(deps, connection, readFailure(error));
  }
}

const look: Sweep = async (deps, connection, signal) => {
  const isStale = connection.mode !== 'changes' && connection.modeUntil <= Date.now();
  switch (isStale ? 'changes' : connection.mode) {
    case 'changes':
      return sweepChanges(deps, connection, signal);
    case 'active list':
      return sweepActiveList(deps, signal);
    case 'one by one':
      await deps.runs.list({ limit: 1 }, callOptions(signal));
      return { nextInMs: probeDelayMs };
  }
};

async function afterFailure(deps: SweepDeps, connection: Connection, failure: CallFailure) {
  const { code, message, retryAfterMs } = failure;
  const failures = connection.failures + 1;
  const problem = { code, message, since: connection.problem?.since ?? Date.now() };
  const isLong = Date.now() - problem.since >= showAfterMs && code !== 'rate_limited';
  if (isLong) await deps.followed.showProblem(problem, connection);
  deps.logger.warn({ code, failures }, 'sweep of the runs service failed');
  return {
    changes: { failures, problem, problemShown: connection.problemShown || isLong },
    nextInMs: Math.max(retryAfterMs, Math.min(longestProbeDelayMs, retryDelayMs(failures))),
  };
}
