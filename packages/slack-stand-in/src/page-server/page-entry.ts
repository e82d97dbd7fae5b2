import type { Entity, EntityError } from '../entities/entity-schema.ts';

/** Contents of the page, as entries with keys. The feed sends all of them first, then those that change. */
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
  /** IANA name, such as `Europe/Berlin`. */
  timeZone: string;
  title: string;
  /** True if this person is in the team shown. */
  isHere: boolean;
  /** The home team, if it isn't the team shown. */
  otherTeam?: string;
};

type ShortcutInfo = { callbackId: string; name: string; description: string };
export type CommandInfo = { command: string; usageHint: string; description: string };

/** Shown in empty channels. A click on an example puts it into the composer. */
export type Welcome = { title: string; text: string; examples: readonly string[] };

/** The workspace and its app, from the manifest. */
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
    /** People can't write in the app's Messages tab. */
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
  /** The other person of a direct conversation. */
  withPerson?: string;
  /** Prompts that the app suggests. */
  suggestions?: { title: string; prompts: { title: string; message: string }[] };
};

export type SharedFileEntry = { title: string; name: string; bytes: number };

export type MessageEntry = {
  kind: 'message';
  channel: string;
  /** Slack's message time, `seconds.micros`; also its id within the channel. */
  ts: string;
  user: string;
  text: string;
  threadTs?: string;
  editedTs?: string;
  isEphemeral: boolean;
  /** Ephemeral, and only shown while its thread is open. */
  isPassing?: boolean;
  /** A reply that was also sent to the channel. */
  isBroadcast: boolean;
  /** Name and emoji that a bot chose for this message. */
  username?: string;
  iconEmoji?: string;
  /** Block Kit, unchanged. */
  blocks: unknown[];
  attachments: unknown[];
  files: SharedFileEntry[];
  reactions: { name: string; users: string[] }[];
};

/** The app's session in a thread. */
export type SessionEntry = {
  kind: 'session';
  channel: string;
  threadTs: string;
  title: string;
  status: 'active' | 'processing' | 'suspended' | 'closed';
  canBeStopped: boolean;
};

/** The fields of Slack's view object that the page shows. */
export type ViewJson = {
  id: string;
  type: string;
  title?: { text: string };
  submit?: { text: string } | null;
  close?: { text: string } | null;
  blocks: unknown[];
};
export type HomeEntry = { kind: 'home'; view: ViewJson };
/** This person's modals, the top one last. */
type ModalsEntry = { kind: 'modals'; views: ViewJson[] };

/** The entity that this person opened, and what the app presented; without either, it's still loading. */
export type FlexpaneEntry = {
  kind: 'flexpane';
  /** Changes when another entity is opened. */
  key: string;
  channel: string;
  details?: Entity;
  error?: EntityError;
};

export type TrafficEntry = {
  kind: 'traffic';
  id: number;
  /** Milliseconds since 1970. */
  atMs: number;
  /** `in`: the app called the workspace; `out`: the workspace delivered to the app. */
  direction: 'in' | 'out';
  /** Method or kind of delivery, such as `chat.postMessage` or `block_actions`. */
  name: string;
  /** Result, such as `ok`, `channel_not_found`, `not acknowledged`. */
  outcome: string;
  isFailure: boolean;
  durationMs: number;
  request: unknown;
  answer: unknown;
};

/** Why the server ends a feed. Codes from 4000 are free to use: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.2 */
export const pageClosings = {
  /** The page is older than the server and reloads. */
  wrongToken: 4401,
  /** The person in the address doesn't exist; the page goes to the first person. */
  unknownPerson: 4404,
} as const;
