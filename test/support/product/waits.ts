/** Timeouts of the app in tests. With the timeouts of production, the app would give up when the machine is slow. */
export const patience = {
  /** Time that Slack or a runs service has before the app acknowledges, in ms. */
  ackWaitMs: 20_000,
  /** Longer than the stand-in can delay an answer, so a call hangs until the test releases it. */
  slackCallTimeoutMs: 120_000,
  storeWaitMs: 20_000,
  /** Time that Slack has to name the author of a stored message, in ms. */
  personWaitMs: 60_000,
};

/** Timeout for tests in which Slack or a runs service is slow. */
export const impatientMs = 100;
