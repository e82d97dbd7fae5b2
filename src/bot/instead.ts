import type { DatabaseOptions } from 'base/database/database';
import type { ConnectionClientsDeps } from '../following/connection-clients.ts';
import type { createBotReports } from '../metrics/bot-reports.ts';
import type { CreateReceivers } from '../slack/connection/receivers.ts';
import type { SlackReports } from '../slack/connection/slack-connection.ts';
import type { SlackBudget } from '../slack/posting/slack-budget.ts';
import type { Db } from '../store/schema.ts';

/** Callbacks for metrics and for `slash-agent check-slack`. */
export type Reports = SlackReports & Partial<ReturnType<typeof createBotReports>>;

/** Replacements for tests, trials and `slash-agent check-slack`. */
export type Instead = {
  /** Budget of Slack calls. Undefined for one per workspace. */
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
