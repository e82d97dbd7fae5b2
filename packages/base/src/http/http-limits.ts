const arrivalMs = 10_000;

/**
 * Options that limit how long an HTTP server waits. A request that takes over ten seconds to arrive gets 408, and its
 * connection is closed.
 */
export const requestLimits = {
  headersTimeout: arrivalMs,
  requestTimeout: arrivalMs,
  connectionsCheckingInterval: 1_000,
} as const;
