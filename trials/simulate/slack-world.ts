/** Who and what there is in the simulated Slack. */
export type Workspace = {
  team: string;
  bot: { userId: string; botId: string; token: string };
  /** The first one starts runs. */
  people: readonly [string, string];
  /** In the second one, replies in threads of runs are for the run. */
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
/** The app is installed in the first one, or in both. */
export const workspaces = [home, other] as const;

/** Runs take turns. */
export const workspaceOfRun = (run: number, count: number): Workspace =>
  run % count === 1 ? other : home;

export const otherThan = ({ team }: Workspace): Workspace => (team === home.team ? other : home);

/** Where a channel, a person's direct messages or a person is. */
export const workspaceOf = (id: string): Workspace | undefined =>
  workspaces.find(
    ({ channels, people, bot }) =>
      channels.some((each) => each === id) ||
      [...people, bot.userId].some((each) => each === id || `D${each}` === id),
  );

export const slackUrl = 'https://slack.test/api/';
/** Where the app answers clicks and commands, followed by the id of the person. */
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
  /** Only this person sees it. */
  visibleTo: string | undefined;
  /** When the app called; undefined for what people write. */
  sentMs: number | undefined;
  /** When the app deleted it. */
  deletedMs: number | undefined;
  /** What it showed, oldest first. */
  versions: { atMs: number; text: string; json: string }[];
};

/** A form that the app opened. */
export type SlackView = {
  id: string;
  hash: string;
  triggerId: string;
  /** The person who asked for it. */
  userId: string;
  view: Json;
  isOpen: boolean;
};
