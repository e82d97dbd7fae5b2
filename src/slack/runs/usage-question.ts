/** Periods to choose from, in days. The first one is the default. */
export const usagePeriods = [7, 30] as const;
export type UsagePeriod = (typeof usagePeriods)[number];

/** Runs whose usage a person asks about. IDs are Slack's. */
export type UsageScope =
  | { of: 'me' | 'everyone' }
  | { of: 'person'; userId: string }
  | { of: 'channel'; channelId: string };

export type UsageQuestion = { scope: UsageScope; days: UsagePeriod };
