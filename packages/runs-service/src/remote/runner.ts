import type { ServiceEnvironment } from '../environments/environments.ts';
import type { FailedRun } from '../execution/run-end.ts';

/** One attempt to execute a run on another machine. A restarted run is a new attempt. */
export type Attempt = {
  runId: string;
  /** Number of the attempt, starting at 1. */
  attempt: number;
  environment: ServiceEnvironment;
};

export type Dispatch = Attempt & {
  /** Environment variables of the `run-one` process, without secrets. */
  variables: Record<string, string>;
  /** Token that gives access to this run only. `run-one` reads it from the file that RUN_TOKEN_FILE names. */
  token: string;
  /** Time after which the runner ends the process. It's longer than the run's own time limit. */
  deadlineSeconds: number;
};

/** An attempt whose process ended or can't start, without a report of the run's end. */
export type LostAttempt = {
  /** End that the run gets. Its message includes the next step for people. */
  end: FailedRun;
  /** True if another attempt can succeed. The run restarts if its environment allows that. */
  canRestart: boolean;
};

/** Starts, watches and ends `run-one` on other machines. */
export type Runner = {
  /** Returns why runs of this environment can't start, or undefined if they can. */
  problemOf(environment: ServiceEnvironment, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Starts an attempt, or returns why it can't start. Can be repeated with the same attempt and token, for example
   * after a crash.
   */
  dispatch(dispatch: Dispatch, signal: AbortSignal): Promise<LostAttempt | undefined>;
  /** Waits until the attempt is lost. Returns undefined only when the signal has aborted. */
  watch(attempt: Attempt, signal: AbortSignal): Promise<LostAttempt | undefined>;
  /**
   * Ends the attempt. When this resolves, none of the attempt's processes runs or starts. Can be called repeatedly,
   * even after the attempt has ended.
   */
  cancel(attempt: Attempt): Promise<void>;
};
