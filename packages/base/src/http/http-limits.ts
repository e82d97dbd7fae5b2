const arrivalMs = 10_000;

/**
 * Options of an HTTP server: a request whose headers and body haven't arrived after ten seconds gets 408, and its
 * connection is closed.
 */
export const requestLimits = {
  headersTimeout: arrivalMs,
  requestTimeout: arrivalMs,
  connectionsCheckingInterval: 1_000,
} as const;
