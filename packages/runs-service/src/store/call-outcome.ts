/**
 * Result of a model call that was sent to its provider. A `cut` response ended too early. A call is `canceled` if the
 * agent disconnected, and `lost` if the service's process ended during the call.
 */
export type CallOutcome =
  | 'completed'
  | 'cut'
  | 'canceled'
  | 'provider_error'
  | 'unreachable'
  | 'lost';
