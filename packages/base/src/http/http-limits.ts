const arrivalMs = 10_000;

/**
 * Time that an idle connection stays open, in ms. Proxies usually close theirs after 60 seconds. If the server closed
 * first, a request on its way would be lost. New connections are also slow in a burst, because Node accepts one in each
 * turn of its event loop.
 */
const idleMs = 75_000;

/**
 * Options that limit how long an HTTP server waits. A request that takes over ten seconds to arrive gets 408, and its
 * connection is closed.
 */
export const requestLimits = {
  headersTimeout: arrivalMs,
  requestTimeout: arrivalMs,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: idleMs,
} as const;
