/** Timeouts of the app in tests. With the timeouts of production, the app would give up when the machine is slow. */
export const patience = {
  /** For Slack or a runs service, before an acknowledgement. */
  ackWaitMs: 20_000,
  /** Longer than any answer of the local Slack can be delayed, so a call that hangs does so until the test releases it. */
  slackCallTimeoutMs: 120_000,
  storeWaitMs: 20_000,
  /** For Slack to say who wrote something that is stored. */
  personWaitMs: 60_000,
};

/** For tests where Slack, or a runs service, is slow. */
export const impatientMs = 100;
