import type { Entity, EntityError } from '../entities/entity-schema.ts';

/** Part of the page's content, which has a key. The feed first sends all entries, and then the entries that change. */
export type PageEntry =
  | TeamEntry
  | PersonEntry
  | ChannelEntry
  | MessageEntry
  | SessionEntry
  | HomeEntry
  | ModalsEntry
  | FlexpaneEntry
  | TrafficEntry;

export type PersonRole = 'owner' | 'admin' | 'member' | 'guest' | 'stranger' | 'bot';
export type PersonEntry = {
  kind: 'person';
  id: string;
  name: string;
  handle: string;
  role: PersonRole;
  /** IANA name of the time zone, such as `Europe/Berlin`. */
  timeZone: string;
  title: string;
  /** True if the person is in the team that the page shows. */
  isHere: boolean;
  /** Home team of the person, if it isn't the team that the page shows. */
  otherTeam?: string;
};

type ShortcutInfo = { callbackId: string; name: string; description: string };
export type CommandInfo = { command: string; usageHint: string; description: string };

/** Welcome text of empty channels. A click on an example copies the example into the composer. */
export type Welcome = { title: string; text: string; examples: readonly string[] };

/** Entry with the workspace and the app's data from its manifest. */
export type TeamEntry = {
  kind: 'team';
  name: string;
  welcome?: Welcome;
  app: {
    name: string;
    description: string;
    botUserId: string;
    hasHome: boolean;
    hasMessages: boolean;
    /** True if people can't write in the app's Messages tab. */
    isReadOnly: boolean;
    commands: CommandInfo[];
    messageShortcuts: ShortcutInfo[];
    globalShortcuts: ShortcutInfo[];
  };
};

export type ChannelEntry = {
  kind: 'channel';
  id: string;
  name: string;
  type: 'public' | 'private' | 'direct';
  topic: string;
  memberIds: string[];
  isMember: boolean;
  hasApp: boolean;
  /** User ID of the other person in a direct conversation. Missing in channels. */
  withPerson?: string;
  /** Prompts that the app suggests. */
  suggestions?: { title: string; prompts: { title: string; message: string }[] };
};

export type SharedFileEntry = { title: string; name: string; bytes: number };

export type MessageEntry = {
  kind: 'message';
  channel: string;
  /** Slack's message time, `seconds.micros`, which is also the message's ID within the channel. */
  ts: string;
  user: string;
  text: string;
  threadTs?: string;
  editedTs?: string;
  isEphemeral: boolean;
  /** True for an ephemeral message that is only shown while its thread is open. */
  isPassing?: boolean;
  /** True for a reply that was also sent to the channel. */
  isBroadcast: boolean;
  /** Name and emoji that a bot chose for this message. */
  username?: string;
  iconEmoji?: string;
  /** Blocks as the workspace stores them. */
  blocks: unknown[];
  attachments: unknown[];
  files: SharedFileEntry[];
  reactions: { name: string; users: string[] }[];
};

/** Entry with the app's session in a thread. */
export type SessionEntry = {
  kind: 'session';
  channel: string;
  threadTs: string;
  title: string;
  status: 'active' | 'processing' | 'suspended' | 'closed';
  canBeStopped: boolean;
};

/** Fields of Slack's view object that the page shows. */
export type ViewJson = {
  id: string;
  type: string;
  title?: { text: string };
  submit?: { text: string } | null;
  close?: { text: string } | null;
  blocks: unknown[];
};
export type HomeEntry = { kind: 'home'; view: ViewJson };
/** Entry with this person's open modals, the top one last. */
type ModalsEntry = { kind: 'modals'; views: ViewJson[] };

/**
 * Entry with the entity that this person opened, and the content that the app presented. Without content, the pane is
 * still loading.
 */
export type FlexpaneEntry = {
  kind: 'flexpane';
  /** Key that changes when the person opens another entity. */
  key: string;
  channel: string;
  details?: Entity;
  error?: EntityError;
};

export type TrafficEntry = {
  kind: 'traffic';
  id: number;
  /** Start time in epoch ms. */
  atMs: number;
  /** `in` if the app called the workspace, `out` if the workspace sent something to the app. */
  direction: 'in' | 'out';
  /** Name of the method or of the delivery, such as `chat.postMessage` or `block_actions`. */
  name: string;
  /** Result, such as `ok`, `channel_not_found` or `not acknowledged`. */
  outcome: string;
  isFailure: boolean;
  durationMs: number;
  request: unknown;
  answer: unknown;
};

/**
 * WebSocket close codes that say why the server ends a feed. Applications can use codes from 4000:
 * https://www.rfc-editor.org/rfc/rfc6455#section-7.4.2
 */
export const pageClosings = {
  /** Code for a page that is older than the server. The page then reloads. */
  wrongToken: 4401,
  /** Code for an unknown person in the page's address. The page then switches to the first person. */
  unknownPerson: 4404,
} as const;
