/** Who and what there is in the simulated workspace. */
export const team = 'T01';
export const bot = { userId: 'U0BOT', botId: 'B0BOT', token: 'xoxb-simulated-bot-token' };
export const people = ['U01', 'U02'] as const;
export const channels = ['C01', 'C02'] as const;
export const slackUrl = 'https://slack.test/api/';

export type Json = Record<string, unknown>;

export type SlackMessage = {
  channel: string;
  ts: string;
  threadTs: string | undefined;
  userId: string;
  text: string;
  blocks: Json[];
  metadata: { event_type: string; event_payload: Json } | undefined;
  isDeleted: boolean;
  /** Only this person sees it. */
  visibleTo: string | undefined;
  /** What it showed, oldest first. */
  versions: { atMs: number; text: string; json: string }[];
};
