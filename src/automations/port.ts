import type { Lease, Leases } from 'base/leased-work';
import type { DueTimes } from 'base/schedule/cron';
import type { Automation } from './automation.ts';
import type { StartDecision } from './decide-start.ts';
import type { Firing, FiringState } from './firing.ts';

/** A firing to start a run for. `payload` is the parsed body of a webhook's delivery. */
export type FiringToStart = {
  automation: Automation;
  firing: Firing;
  requestId: string;
  payload: unknown;
};

/**
 * Result of starting a run for a firing. Sentences are mrkdwn.
 * - `started`: its request is accepted, now or earlier.
 * - `unmatched`: its message is gone or isn't for the automation.
 * - `skipped`: the person or bot that fired it can't start runs, or a limit of its owner is reached.
 * - `not allowed`: its owner can't start runs there anymore, so the automation pauses.
 * - `failed`: the run can't be started, such as with a deleted preset.
 * - `later`: Slack doesn't answer, or the message that the runs are shown under isn't posted yet.
 */
export type FiringOutcome =
  | { outcome: 'started' }
  | { outcome: 'unmatched' | 'skipped' | 'not allowed' | 'failed'; sentence: string }
  | { outcome: 'later'; againAt: number };

/** The place where people use automations, such as a Slack workspace. */
export type AutomationPlace = {
  /** Returns how many runs an hour the rules let the automation start. Undefined without such a rule. */
  maxStartsPerHour(automation: Automation): Promise<number | undefined>;
  start(firing: FiringToStart, signal: AbortSignal): Promise<FiringOutcome>;
};

/** A leased firing. `failures` is the number of times that it was postponed or failed. */
export type LeasedFiring = Firing & Lease & { failures: number };

export type FiringChanges = { failures?: number };

/** End of a firing. `failed` counts as a failed start, unless it pauses the automation for its owner. */
export type Settlement = {
  state: Exclude<FiringState, 'waiting'>;
  reason: string | null;
  /** Sentence of the pause, if the owner can't start runs anymore. */
  ownerPause?: string;
};

/** State of the request that a firing started. */
export type StartState = 'starting' | 'running or over' | { notStarted: string };

/** Firings to work on. All methods throw `LeaseLost` and write nothing if another replica has the lease. */
export type FiringQueue = Leases<LeasedFiring, FiringChanges> & {
  /** Returns the automation of a firing, and the body of its delivery. */
  read(firing: Firing): Promise<{ automation: Automation | undefined; body: string | undefined }>;
  /** Decides if a firing starts a run, and counts it against the limits if it does. */
  begin(
    firing: LeasedFiring,
    maxStartsPerHour: number | undefined,
  ): Promise<{ automation: Automation | undefined; decision: StartDecision }>;
  /**
   * Ends a firing. The last of too many failed starts in a row pauses the automation.
   * @returns false for a start whose request wasn't accepted, because the automation has changed meanwhile
   */
  settle(firing: LeasedFiring, end: Settlement): Promise<boolean>;
  readStart(firing: Firing): Promise<StartState>;
  /** Notes that a run was started, so that earlier failures don't count anymore. */
  confirmStart(firing: Firing): Promise<void>;
};

export type LeasedAutomation = Automation & Lease & { failures: number };

/** Schedules whose due times have to be stored. */
export type ScheduleQueue = Leases<LeasedAutomation, undefined> & {
  /** Stores what is due of a schedule, and its next due time. Returns false if the automation has changed. */
  fire(automation: LeasedAutomation, due: DueTimes): Promise<boolean>;
};
