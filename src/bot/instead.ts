import type { DatabaseOptions } from 'base/database/database';
import type { ConnectionClientsDeps } from '../following/connection-clients.ts';
import type { createBotReports } from '../metrics/bot-reports.ts';
import type { CreateReceivers } from '../slack/connection/receivers.ts';
import type { SlackReports } from '../slack/connection/slack-connection.ts';
import type { SlackBudget } from '../slack/posting/slack-budget.ts';
import type { Db } from '../store/schema.ts';

/** Callbacks of the parts, for metrics and for `slash-agent check-slack`. */
export type Reports = SlackReports & Partial<ReturnType<typeof createBotReports>>;

/** Replacements of parts, for tests, trials and `slash-agent check-slack`. */
export type Instead = {
  /** Undefined: one for each workspace. */
  budget?: SlackBudget;
  receivers?: CreateReceivers;
  dispatcher?: ConnectionClientsDeps['operator']['dispatcher'];
  ackWaitMs?: number;
  slackCallTimeoutMs?: number;
  personWaitMs?: number;
  storeWaitMs?: number;
  openDatabase?(options: DatabaseOptions): Promise<Db>;
  reports?: SlackReports;
};
