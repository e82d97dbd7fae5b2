import type { JsonObject } from './json.ts';

/** Something that Slack sends to the app. */
export type Delivery = {
  kind: 'slash_commands' | 'interactive' | 'events_api';
  payload: JsonObject;
  /** Only events are tried again. */
  retry?: { attempt: number; reason: string };
};

/**
 * What came of it. The words of a failure are those that Slack's client shows to the person:
 * `operation_timeout` after 3 s of silence, `dispatch_failed` when nobody was there or the answer was no 2xx; ours is
 * `app_not_interactive`, where the client says that the app is not configured for interactive responses.
 */
export type Answer =
  | { acked: true; body: unknown }
  | {
      acked: false;
      error: 'operation_timeout' | 'dispatch_failed' | 'app_not_interactive';
      /** Why an event is sent again, in the words of `x-slack-retry-reason`. */
      reason: 'timeout' | 'http_error' | 'connection_failed';
      /** The app forbade another try with `x-slack-no-retry`. */
      mayRetry?: false;
    };

export const silence: Answer = { acked: false, error: 'operation_timeout', reason: 'timeout' };

export const nobodyThere: Answer = {
  acked: false,
  error: 'dispatch_failed',
  reason: 'connection_failed',
};
