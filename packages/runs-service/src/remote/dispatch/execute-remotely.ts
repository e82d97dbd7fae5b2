import { randomBytes } from 'node:crypto';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { keyHash } from '../../api/keys/keyring.ts';
import { findEnvironment, type ServiceEnvironment } from '../../environments/environments.ts';
import { environmentGone, interrupted, type RunEnd } from '../../execution/run-end.ts';
import type { PublishResult } from '../../execution/run-executor.ts';
import { canRestart } from '../../queue/lost-run.ts';
import type { ExecuteRemotely } from '../../queue/run-queue.ts';
import type { Dispatches, StoredDispatch } from '../../store/dispatches.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Stores } from '../../store/stores.ts';
import { modelTokenOf } from '../model-token.ts';
import type { ReportedEnd } from '../protocol.ts';
import type { LostAttempt, Runner } from '../runner.ts';
import type { DispatchPoller } from './dispatch-poller.ts';
import { followAttempt } from './follow-attempt.ts';

type Ending = { canceled: AbortSignal; leaving: AbortSignal };

const tokenBytes = 32;
/**
 * Time to wait for late messages, in ms. The report of an end can arrive after the runner has found that the process is
 * gone. A dispatch can also be late if its service has crashed.
 */
const lateMs = 3_000;
const retryMs = 5_000;

/**
 * Creates a function that sends a run to a runner and follows it, or follows a run that was sent earlier. Everything
 * that it must remember is in the store.
 */
export function createExecuteRemotely({
  stores,
  owner,
  environments,
  runnerFor,
  poller,
  serviceUrl,
  silentMs,
  publish,
  logger,
}: {
  stores: Stores;
  owner: string;
  environments: () => readonly ServiceEnvironment[];
  runnerFor: (environment: ServiceEnvironment) => Runner;
  poller: DispatchPoller;
  /** Returns the URL at which `run-one` can reach the service. */
  serviceUrl: () => string;
  /** Time without a report after which a run is lost, in ms. */
  silentMs?: number | undefined;
  publish: PublishResult;
  logger: Logger;
}): ExecuteRemotely {
  const { dispatches, runs, leases } = stores;

  /**
   * Publishes the changes of a successful run. Returns the run's end, or undefined if this process must leave the run
   * before that's done.
   */
  async function finish(
    run: StoredRun,
    environment: ServiceEnvironment,
    end: RunEnd,
    { canceled, leaving }: Ending,
  ): Promise<RunEnd | undefined> {
    // Stop if another process has taken over the run, because that process has the run's files.
    if ((await runs.get(run.id))?.lease_owner !== owner) return undefined;
    if (end.state !== 'SUCCEEDED') return end;
    const signal = AbortSignal.any([canceled, leaving]);
    const progress = { close: async () => undefined };
    await publish({ run, environment, signal, progress });
    return leaving.aborted ? undefined : end;
  }

  /** Restarts the run if another attempt can help, and returns undefined. Otherwise returns the run's end. */
  async function restartOrEnd(
    run: StoredRun,
    environment: ServiceEnvironment,
    { end, canRestart: canHelp }: LostAttempt,
  ): Promise<RunEnd | undefined> {
    const now = await runs.get(run.id);
    if (!canHelp || !now || !canRestart(now, environment)) return end;
    const note = `${end.status.message} Restarting the run.`;
    return (await leases.startOver(now, owner, note)) ? undefined : end;
  }

  async function follow(
    run: StoredRun,
    environment: ServiceEnvironment,
    ending: Ending,
  ): Promise<RunEnd | undefined> {
    const runner = runnerFor(environment);
    let row = (await newestOf(dispatches, run.id)) ?? (await begin(dispatches, run.id, 1));
    for (;;) {
      const attempt = { runId: run.id, attempt: row.attempt, environment };
      const outcome = await followAttempt({
        attempt,
        row,
        runner,
        poller,
        dispatches,
        runs,
        serviceUrl: serviceUrl(),
        silentMs,
        canceled: ending.canceled,
        leaving: ending.leaving,
        logger,
      });
      if (outcome.how === 'left') return undefined;
      const isSent = row.dispatched_at !== null || row.worker !== null;
      const canBeLate = outcome.how === 'lost' || (outcome.how === 'canceled' && !isSent);
      if (canBeLate) await sleep(lateMs, ending.leaving);
      const end = outcome.how === 'reported' ? outcome.end : await reportedBy(dispatches, row);
      if (end && 'end' in end) return finish(run, environment, end.end, ending);
      if (outcome.how === 'canceled' || (await runs.get(run.id))?.cancel_requested) {
        if (canBeLate) await runner.cancel(attempt);
        return { state: 'CANCELLED' };
      }
      const lost = outcome.how === 'lost' ? outcome.lost : stoppedFromOutside(end?.stopped);
      const over = await restartOrEnd(run, environment, lost);
      if (over) return over;
      logger.info({ runId: run.id, attempt: row.attempt + 1 }, 'remote run starts again');
      row = await begin(dispatches, run.id, row.attempt + 1, end !== undefined);
    }
  }

  return async (run, ending) => {
    const environment = findEnvironment(environments(), run.environment_id);
    if (!environment) {
      const ids = environments().map(({ id }) => id);
      return environmentGone(run.environment_id, ids);
    }
    while (!ending.leaving.aborted) {
      try {
        return await follow(run, environment, ending);
      } catch (error) {
        // Log the error and try again later, because the database can be down. The run continues, and everything
        // here can be repeated.
        logger.error({ err: error, runId: run.id }, 'cannot follow a remote run');
      }
      await sleep(retryMs, ending.leaving);
    }
    return undefined;
  };
}

const stoppedFromOutside = (why = 'The process of this run was stopped'): LostAttempt => ({
  end: interrupted(why),
  canRestart: true,
});

async function newestOf(
  dispatches: Dispatches,
  runId: string,
): Promise<StoredDispatch | undefined> {
  return (await dispatches.of([runId]))[0];
}

async function begin(
  dispatches: Dispatches,
  runId: string,
  attempt: number,
  isStopped = false,
): Promise<StoredDispatch> {
  const token = randomBytes(tokenBytes).toString('base64url');
  const modelTokenHash = keyHash(modelTokenOf(token));
  const tokenHash = keyHash(token);
  await dispatches.begin(runId, attempt, { token, tokenHash, modelTokenHash, isStopped });
  const row = await newestOf(dispatches, runId);
  if (!row) throw new Error('A dispatch could not be stored.');
  return row;
}

/** Returns the end that the attempt has reported by now. */
async function reportedBy(
  dispatches: Dispatches,
  { run_id: runId, attempt }: StoredDispatch,
): Promise<ReportedEnd | undefined> {
  const row = await newestOf(dispatches, runId);
  if (row?.attempt !== attempt || row.end_json === null) return undefined;
  return JSON.parse(row.end_json) as ReportedEnd;
}
