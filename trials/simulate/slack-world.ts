/** People and channels of the simulated Slack. */
export type Workspace = {
  team: string;
  bot: { userId: string; botId: string; token: string };
  /** IDs of the workspace's people. The first one starts runs. */
  people: readonly [string, string];
  /** IDs of the workspace's channels. In the second one, plain replies go to the run. */
  channels: readonly [string, string];
};

const home: Workspace = {
  team: 'T01',
  bot: { userId: 'U0BOT', botId: 'B0BOT', token: 'xoxb-simulated-bot-token' },
  people: ['U01', 'U02'],
  channels: ['C01', 'C02'],
};
const other: Workspace = {
  team: 'T02',
  bot: { userId: 'U0BOT2', botId: 'B0BOT2', token: 'xoxb-simulated-other-token' },
  people: ['U11', 'U12'],
  channels: ['C11', 'C12'],
};
/** Workspaces with the app: the first one, or both. */
export const workspaces = [home, other] as const;

/** Returns the workspace of a run. Runs take turns. */
export const workspaceOfRun = (run: number, count: number): Workspace =>
  run % count === 1 ? other : home;

export const otherThan = ({ team }: Workspace): Workspace => (team === home.team ? other : home);

/** Returns the workspace of a channel, a person or their direct messages. */
export const workspaceOf = (id: string): Workspace | undefined =>
  workspaces.find(
    ({ channels, people, bot }) =>
      channels.some((each) => each === id) ||
      [...people, bot.userId].some((each) => each === id || `D${each}` === id),
  );

export const slackUrl = 'https://slack.test/api/';
/** Response URL for clicks and commands, followed by the person's ID. */
export const answersUrl = 'https://hooks.slack.test/answer/';

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
  /** ID of the only person who sees it. */
  visibleTo: string | undefined;
  /** Time at which the app called. Undefined for people's messages. */
  sentMs: number | undefined;
  /** Time at which the app deleted it. */
  deletedMs: number | undefined;
  /** Contents that it has shown, oldest first. */
  versions: { atMs: number; text: string; json: string }[];
};

/** A form that the app opened. */
export type SlackView = {
  id: string;
  hash: string;
  triggerId: string;
  /** ID of the person who opened it. */
  userId: string;
  view: Json;
  isOpen: boolean;
};
