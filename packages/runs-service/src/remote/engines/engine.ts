import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { FailedRun } from '../../execution/run-end.ts';

/** One try to execute a run somewhere else. A run that starts over is a new attempt. */
export type Attempt = {
  runId: string;
  /** Counts from 1. */
  attempt: number;
  environment: ServiceEnvironment;
};

export type Dispatch = Attempt & {
  /** For the process of `run-one`. No secrets. */
  variables: Record<string, string>;
  /** Opens this run only. `run-one` reads it from the file that RUN_TOKEN_FILE names. */
  token: string;
  /** Long after the run's own time limit. */
  deadlineSeconds: number;
};

/** The process of a run ended, or can't start, without having reported the end of its run. */
export type LostAttempt = {
  /** Says what to do. */
  end: FailedRun;
  /** True if another attempt can end better. Then a run starts over if its environment says so. */
  mayRestart: boolean;
};

/** Something that starts `run-one` elsewhere. */
export type Engine = {
  /** Why runs of this environment can't start; undefined if they can. */
  problemOf(environment: ServiceEnvironment, signal: AbortSignal): Promise<string | undefined>;
  /** Can be repeated with the same attempt and token, for example after a crash. Returns why it can't start. */
  dispatch(dispatch: Dispatch, signal: AbortSignal): Promise<LostAttempt | undefined>;
  /** Waits until the attempt is lost. Undefined only once the signal has aborted. */
  watch(attempt: Attempt, signal: AbortSignal): Promise<LostAttempt | undefined>;
  /** When this resolves, no process of the attempt runs or starts. Can be repeated, and after an end. */
  cancel(attempt: Attempt): Promise<void>;
};
