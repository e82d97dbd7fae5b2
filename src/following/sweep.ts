import type { Connection, ConnectionChanges, Connections } from '../store/connections.ts';
import { pollDelayMs, retryDelayMs } from './progress.ts';
import { type CallFailure, callTimeoutMs, readFailure } from './runs-port.ts';
import { sweepActiveList } from './sweep-active-list.ts';
import { sweepChanges } from './sweep-changes.ts';
import type { SweepParts, Swept } from './sweep-parts.ts';

/** A short outage is nobody's business; the messages speak up when it has lasted so long. */
const tellAfterMs = 2_500;
/** How long a mended service may go unnoticed. */
const longestProbeDelayMs = 15_000;
/** Where runs are looked at one by one, the sweep only finds out whether the service is there. */
const probeDelayMs = 30_000;

/** Sweeps a leased connection, writes what was found and gives it back. */
export async function sweepAndRelease(
  parts: SweepParts & { connections: Pick<Connections, 'release'> },
  connection: Connection,
  signal: AbortSignal,
): Promise<void> {
  const { changes, nextInMs } = await sweep(parts, connection, signal);
  await parts.connections.release(connection, changes, nextInMs);
  const isBack = connection.failures > 0 && changes.failures === 0;
  // Not sooner: whoever tries while the service is known to be away waits once more. After a kill in between everybody
  // who waits has their own next time.
  if (isBack) await parts.followed.hurryWaiting();
}

/**
 * One look at a connection for all its followed runs, by the cheapest way that its service allows. Also the circuit
 * breaker: while the API is down this is the one probe, and the messages say since when, once.
 * @returns what to keep of it, and when to sweep next; null when no run is followed or waited for
 */
export async function sweep(
  parts: SweepParts,
  connection: Connection,
  signal: AbortSignal,
): Promise<{ changes: ConnectionChanges; nextInMs: number | null }> {
  const { followed } = parts;
  const youngest = (await followed.youngestAcceptedAt()) ?? (await followed.youngestWaitingAt());
  if (youngest === undefined) return { changes: {}, nextInMs: null };
  try {
    const { nextInMs, ...changes } = await look(parts, connection, signal);
    // Failures without a word of having told: whoever told may have been killed before that was written down.
    if (connection.told || connection.failures > 0) await followed.untellAll();
    const healthy = { failures: 0, problem: null, told: false };
    return {
      changes: { ...healthy, ...changes },
      nextInMs: nextInMs ?? pollDelayMs(Date.now() - youngest),
    };
  } catch (error) {
    if (signal.aborted) return { changes: {}, nextInMs: 0 };
    return await afterFailure(parts, connection, readFailure(error));
  }
}

async function look(
  parts: SweepParts,
  connection: Connection,
  signal: AbortSignal,
): Promise<Swept> {
  const isStale = connection.mode !== 'changes' && connection.modeUntil <= Date.now();
  switch (isStale ? 'changes' : connection.mode) {
    case 'changes':
      return sweepChanges(parts, connection, signal);
    case 'active list':
      return sweepActiveList(parts, signal);
    case 'one by one':
      await parts.runs.list({ limit: 1 }, { signal, timeoutMs: callTimeoutMs, maxRetries: 0 });
      return { nextInMs: probeDelayMs };
  }
}

async function afterFailure(parts: SweepParts, connection: Connection, failure: CallFailure) {
  const { code, message, retryAfterMs } = failure;
  const failures = connection.failures + 1;
  const problem = { code, message, since: connection.problem?.since ?? Date.now() };
  const isLong = Date.now() - problem.since >= tellAfterMs && code !== 'rate_limited';
  if (isLong) await parts.followed.tellAll(problem);
  parts.logger.warn({ code, failures }, 'the runs service did not tell what has changed');
  return {
    changes: { failures, problem, told: connection.told || isLong },
    nextInMs: Math.max(retryAfterMs, Math.min(longestProbeDelayMs, retryDelayMs(failures))),
  };
}
