import type { Automation } from './automation.ts';
import type { Firing } from './firing.ts';

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

/** What automations need of the place where people use them. */
export type AutomationPlace = {
  start(firing: FiringToStart, signal: AbortSignal): Promise<FiringOutcome>;
};
