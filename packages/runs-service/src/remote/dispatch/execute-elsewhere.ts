import { randomBytes } from 'node:crypto';
import { sleep } from 'base/sleep';
import { keyHash } from '../../api/keys/keyring.ts';
import { findEnvironment, type ServiceEnvironment } from '../../environments/environments.ts';
import { environmentGone, interrupted, type RunEnd } from '../../execution/run-end.ts';
import type { PublishResult } from '../../execution/run-executor.ts';
import { mayRestart } from '../../queue/lost-run.ts';
import type { ExecuteElsewhere } from '../../queue/run-queue.ts';
import type { Dispatches, StoredDispatch } from '../../store/dispatches.ts';
import type { RunLeases } from '../../store/run-leases.ts';
import type { Runs, StoredRun } from '../../store/runs.ts';
import type { Engine, LostAttempt } from '../engines/engine.ts';
import type { ReportedEnd } from '../protocol/report.ts';
import { type FollowedAttempt, followAttempt } from './follow-attempt.ts';

type ElsewhereOptions = Pick<FollowedAttempt, 'poller' | 'silentMs' | 'logger'> & {
  environments: () => readonly ServiceEnvironment[];
  engineFor: (environment: ServiceEnvironment) => Engine;
  dispatches: Dispatches;
  runs: Pick<Runs, 'change' | 'get'>;
  leases: Pick<RunLeases, 'startOver'>;
  owner: string;
  /** Where `run-one` reaches the service. */
  serviceUrl: () => string;
  publish: PublishResult;
};

type Ending = { canceled: AbortSignal; leaving: AbortSignal };

const tokenBytes = 32;
/**
 * A report of the end can be on its way when the engine says that the process is gone, and what a service that died has
 * sent to the engine can be too.
 */
const lateMs = 3_000;
const retryMs = 5_000;

/** Has runs executed elsewhere, or goes on following those that are. What it knows is in the store. */
export function createExecuteElsewhere(options: ElsewhereOptions): ExecuteElsewhere {
  const { dispatches, runs, leases, owner, logger } = options;

  async function newestOf(runId: string): Promise<StoredDispatch | undefined> {
    return (await dispatches.of([runId]))[0];
  }

  async function begin(
    runId: string,
    attempt: number,
    isStopped: boolean,
  ): Promise<StoredDispatch> {
    const token = randomBytes(tokenBytes).toString('base64url');
    await dispatches.begin(runId, attempt, { token, tokenHash: keyHash(token), isStopped });
    const row = await newestOf(runId);
    if (!row) throw new Error('A dispatch could not be stored.');
    return row;
  }

  /** What the attempt ended with, if it has reported that by now. */
  async function reportedBy({ run_id: runId, attempt }: StoredDispatch) {
    const row = await newestOf(runId);
    if (row?.attempt !== attempt || row.end_json === null) return undefined;
    return JSON.parse(row.end_json) as ReportedEnd;
  }

  /** Undefined if this process has to leave before the changes are published. */
  async function finish(
    run: StoredRun,
    environment: ServiceEnvironment,
    end: RunEnd,
    { canceled, leaving }: Ending,
  ): Promise<RunEnd | undefined> {
    // The process that has the files of the run goes on with it.
    if ((await runs.get(run.id))?.lease_owner !== owner) return undefined;
    if (end.state !== 'SUCCEEDED') return end;
    const signal = AbortSignal.any([canceled, leaving]);
    const progress = { close: async () => undefined };
    await options.publish({ run, environment, signal, progress });
    return leaving.aborted ? undefined : end;
  }

  /** Undefined if the run starts over. */
  async function afterLoss(
    run: StoredRun,
    environment: ServiceEnvironment,
    { end, mayRestart: canHelp }: LostAttempt,
  ): Promise<RunEnd | undefined> {
    const now = await runs.get(run.id);
    if (!canHelp || !now || !mayRestart(now, environment)) return end;
    const note = `${end.status.message} Starting this run over.`;
    return (await leases.startOver(now, owner, note)) ? undefined : end;
  }

  async function follow(
    run: StoredRun,
    environment: ServiceEnvironment,
    ending: Ending,
  ): Promise<RunEnd | undefined> {
    const engine = options.engineFor(environment);
    let row = (await newestOf(run.id)) ?? (await begin(run.id, 1, false));
    for (;;) {
      const attempt = { runId: run.id, attempt: row.attempt, environment };
      const serviceUrl = options.serviceUrl();
      const outcome = await followAttempt({
        ...options,
        ...ending,
        attempt,
        row,
        engine,
        serviceUrl,
      });
      if (outcome.how === 'left') return undefined;
      const isSent = row.dispatched_at !== null || row.worker !== null;
      const mayBeLate = outcome.how === 'lost' || (outcome.how === 'canceled' && !isSent);
      if (mayBeLate) await sleep(lateMs, ending.leaving);
      const end = outcome.how === 'reported' ? outcome.end : await reportedBy(row);
      if (end && 'end' in end) return finish(run, environment, end.end, ending);
      if (outcome.how === 'canceled' || (await runs.get(run.id))?.cancel_requested) {
        if (mayBeLate) await engine.cancel(attempt);
        return { state: 'CANCELLED' };
      }
      const lost = outcome.how === 'lost' ? outcome.lost : stoppedFromOutside(end?.stopped);
      const over = await afterLoss(run, environment, lost);
      if (over) return over;
      logger.info({ runId: run.id, attempt: row.attempt + 1 }, 'run starts over elsewhere');
      row = await begin(run.id, row.attempt + 1, end !== undefined);
    }
  }

  return async (run, ending) => {
    const environment = findEnvironment(options.environments(), run.environment_id);
    if (!environment) {
      const ids = options.environments().map(({ id }) => id);
      return environmentGone(run.environment_id, ids);
    }
    while (!ending.leaving.aborted) {
      try {
        return await follow(run, environment, ending);
      } catch (error) {
        // The database is away, for example. The run goes on, and everything here can be repeated.
        logger.error({ err: error, runId: run.id }, 'cannot follow a run that executes elsewhere');
      }
      await sleep(retryMs, ending.leaving);
    }
    return undefined;
  };
}

const stoppedFromOutside = (why = 'The process of this run was stopped'): LostAttempt => ({
  end: interrupted(why),
  mayRestart: true,
});
