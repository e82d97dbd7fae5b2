import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import {
  defaultTimeLimitSeconds,
  questionSecondsOf,
  type ServiceEnvironment,
} from '../../environments/environments.ts';
import { createKeyedLock } from '../../execution/keyed-lock.ts';
import { failed } from '../../execution/run-end.ts';
import { defaultSpendQuestionMs } from '../../gateway/hold.ts';
import type { Dispatches, StoredDispatch } from '../../store/dispatches.ts';
import { activeStates, type Runs } from '../../store/runs.ts';
import type { ReportedEnd } from '../protocol.ts';
import type { Attempt, LostAttempt, Runner } from '../runner.ts';
import type { DispatchPoller } from './dispatch-poller.ts';

export type Outcome =
  | { how: 'reported'; end: ReportedEnd }
  | { how: 'lost'; lost: LostAttempt }
  | { how: 'canceled' }
  /** Outcome if this process no longer follows the run. */
  | { how: 'left' };

export type FollowedAttempt = {
  attempt: Attempt;
  /** The attempt's row in the database when this process began to follow the attempt. */
  row: StoredDispatch;
  runner: Runner;
  poller: DispatchPoller;
  dispatches: Pick<Dispatches, 'of' | 'accepted'>;
  runs: Pick<Runs, 'change'>;
  serviceUrl: string;
  canceled: AbortSignal;
  leaving: AbortSignal;
  silentMs?: number | undefined;
  logger: Logger;
};

/** Silence after which a run is lost, in ms. `run-one` normally reports at least every 20 seconds. */
const defaultSilentMs = 3 * 60_000;
/** Time that `run-one` has after a cancel to stop the agent and to save and send its changes, in ms. */
const cancelGraceMs = 8_000;
const retryMs = 5_000;

/** Starts an attempt unless it was started before, and waits for its outcome. */
export async function followAttempt(followed: FollowedAttempt): Promise<Outcome> {
  const done = new AbortController();
  const signal = AbortSignal.any([followed.leaving, done.signal]);
  // Let dispatch and cancel run one after the other. If a cancel overtook a dispatch, the process would keep
  // running.
  const withLock = createKeyedLock();
  const inTurn: InTurn = (work) => withLock(followed.attempt.runId, work);
  const tasks = [
    watchReports(followed, signal),
    watchRunner(followed, signal, inTurn),
    cancelOnRequest(followed, signal, inTurn),
  ];
  try {
    return await Promise.race(tasks);
  } finally {
    done.abort();
    for (const task of tasks) task.catch(() => undefined);
  }
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

const left: Outcome = { how: 'left' };

async function watchReports(
  { attempt, row, poller, runner, logger, silentMs = defaultSilentMs }: FollowedAttempt,
  signal: AbortSignal,
): Promise<Outcome> {
  let reportedAt = row.reported_at;
  let polledAt = performance.now();
  let silence = 0;
  async function giveUp(message: string): Promise<Outcome> {
    const stopped = runner.cancel(attempt);
    await stopped.catch((err) => logger.warn({ err, runId: attempt.runId }, 'cannot end a run'));
    const more = { error_code: 'resource_unavailable', retryable: true };
    return { how: 'lost', lost: { end: failed(message, more), canRestart: true } };
  }
  for await (const found of poller.follow(attempt.runId, signal)) {
    if (found.attempt !== attempt.attempt) return left;
    if (found.end_json !== null) return { how: 'reported', end: JSON.parse(found.end_json) };
    const now = performance.now();
    // Add at most 5 seconds of silence per poll. A longer gap between polls doesn't mean that the run was silent,
    // because the database can have been down.
    const passed = Math.min(now - polledAt, 5_000);
    silence = found.reported_at === reportedAt ? silence + passed : 0;
    polledAt = now;
    reportedAt = found.reported_at;
    if (found.worker !== null && silence > silentMs) return giveUp(silentMessage(silentMs));
    const waitedMs = found.dispatched_at === null ? 0 : Date.now() - found.dispatched_at;
    if (found.worker === null && waitedMs > startMsOf(attempt.environment))
      return giveUp(notStartedMessage(waitedMs));
  }
  return left;
}

const silentMessage = (ms: number) =>
  `The process of this run hasn't reported for ${Math.round(ms / 1000)}s. Check that its machine is up and can reach RUNS_SERVICE_URL, then run this again.`;

const notStartedMessage = (ms: number) =>
  `This run was sent to the dispatch command ${Math.round(ms / 60_000)} min ago, but its process never reported. Check the command's queue and that "run-one" can reach RUNS_SERVICE_URL there.`;

async function watchRunner(
  followed: FollowedAttempt,
  signal: AbortSignal,
  inTurn: InTurn,
): Promise<Outcome> {
  const { attempt, row, runner, logger } = followed;
  while (!signal.aborted) {
    try {
      const isNew = row.dispatched_at === null && row.worker === null;
      const lost =
        (isNew && (await inTurn(() => start(followed, signal)))) ||
        (await runner.watch(attempt, signal));
      if (lost) return { how: 'lost', lost };
    } catch (error) {
      if (signal.aborted) break;
      logger.error({ err: error, runId: attempt.runId }, 'cannot start or watch a remote run');
      await sleep(retryMs, signal);
    }
  }
  return left;
}

async function start(
  { attempt, row, runner, serviceUrl, dispatches, runs, canceled }: FollowedAttempt,
  signal: AbortSignal,
): Promise<LostAttempt | undefined> {
  if (canceled.aborted) return undefined;
  const { runId, environment } = attempt;
  const variables = { RUN_ID: runId, RUN_SERVICE_URL: serviceUrl };
  const deadlineSeconds = deadlineSecondsOf(environment);
  const token = row.token ?? '';
  const lost = await runner.dispatch({ ...attempt, variables, token, deadlineSeconds }, signal);
  if (lost || signal.aborted) return lost;
  await dispatches.accepted(runId, attempt.attempt);
  row.dispatched_at = Date.now();
  const receiver = environment.runner === 'kubernetes' ? 'Kubernetes' : 'the dispatch command';
  await runs.change(runId, activeStates, { note: `Sent to ${receiver}` });
  return undefined;
}

async function cancelOnRequest(
  { attempt, canceled, runner, dispatches, logger }: FollowedAttempt,
  signal: AbortSignal,
  inTurn: InTurn,
): Promise<Outcome> {
  await sleep(2 ** 31 - 1, AbortSignal.any([canceled, signal]));
  while (!signal.aborted) {
    try {
      const [now] = await dispatches.of([attempt.runId]);
      // Wait first, so that the process can learn of the cancel from its next report and save its changes.
      if (now?.worker) await sleep(cancelGraceMs, signal);
      if (signal.aborted) break;
      await inTurn(() => runner.cancel(attempt));
      return { how: 'canceled' };
    } catch (error) {
      logger.error({ err: error, runId: attempt.runId }, 'cannot cancel a remote run');
    }
    await sleep(retryMs, signal);
  }
  return left;
}

/** Time added for the checkout and for saving the results, in seconds. */
const spareSeconds = 3_600;
/** Number of questions for which the deadline has time, because the run's own clock is paused while people answer. */
const questions = 10;

/**
 * Returns the deadline after which the runner ends the process, in seconds. It's a safety net, and later than the run's
 * own time limit.
 */
export function deadlineSecondsOf(environment: ServiceEnvironment): number {
  const { time_limit_seconds: limit = defaultTimeLimitSeconds, harness, models } = environment;
  const byAgent = harness === 'acp' ? questions * questionSecondsOf(environment) : 0;
  const aboutSpending = models ? (questions * defaultSpendQuestionMs) / 1000 : 0;
  return Math.ceil(limit + spareSeconds + byAgent + aboutSpending);
}

const defaultStartSeconds = 3_600;

/**
 * Returns the max time to wait for the run's process to start, in ms. Kubernetes has no limit, because it reports why a
 * process can't start.
 */
export const startMsOf = ({ runner, dispatch }: ServiceEnvironment): number =>
  runner === 'command'
    ? (dispatch?.start_seconds ?? defaultStartSeconds) * 1000
    : Number.POSITIVE_INFINITY;
