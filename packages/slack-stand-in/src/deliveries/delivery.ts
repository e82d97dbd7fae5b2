import type { JsonObject } from '../lib/json.ts';

/** Something that Slack sends to the app. */
export type Delivery = {
  kind: 'slash_commands' | 'interactive' | 'events_api';
  payload: JsonObject;
  /** Only events are retried. */
  retry?: { attempt: number; reason: string };
};

/**
 * The app's answer. Slack's client shows these errors: `operation_timeout` after 3 s, `dispatch_failed` if the app isn't
 * connected or didn't answer 2xx. `app_not_interactive` is ours, for "not configured to handle interactive responses".
 */
export type Answer =
  | { acked: true; body: unknown }
  | {
      acked: false;
      error: 'operation_timeout' | 'dispatch_failed' | 'app_not_interactive';
      /** Why an event is retried, as in `x-slack-retry-reason`. */
      reason: 'timeout' | 'http_error' | 'connection_failed';
      /** The app refused retries with `x-slack-no-retry`. */
      canRetry?: false;
    };

/** Slack's time limit for an app. */
export const slackAckWithinMs = 3_000;

export const timedOut: Answer = { acked: false, error: 'operation_timeout', reason: 'timeout' };

export const notConnected: Answer = {
  acked: false,
  error: 'dispatch_failed',
  reason: 'connection_failed',
};
