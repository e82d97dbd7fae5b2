import type { JsonObject } from '../lib/json.ts';

/** A request or envelope that Slack sends to the app. */
export type Delivery = {
  kind: 'slash_commands' | 'interactive' | 'events_api';
  payload: JsonObject;
  /** Number and reason of a retry. Slack retries events only. */
  retry?: { attempt: number; reason: string };
};

/**
 * The app's answer. Slack's client shows `operation_timeout` after 3 s and `dispatch_failed` if the app isn't connected
 * or didn't answer 2xx. `app_not_interactive` is the stand-in's code for "not configured to handle interactive
 * responses".
 */
export type Answer =
  | { acked: true; body: unknown }
  | {
      acked: false;
      error: 'operation_timeout' | 'dispatch_failed' | 'app_not_interactive';
      /** Reason for a retry, as in `x-slack-retry-reason`. */
      reason: 'timeout' | 'http_error' | 'connection_failed';
      /** False if the app prevents retries with `x-slack-no-retry`. */
      canRetry?: false;
    };

/** Slack's time limit for the app's acknowledgment. */
export const slackAckWithinMs = 3_000;

export const timedOut: Answer = { acked: false, error: 'operation_timeout', reason: 'timeout' };

export const notConnected: Answer = {
  acked: false,
  error: 'dispatch_failed',
  reason: 'connection_failed',
};
