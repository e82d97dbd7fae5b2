import { z } from 'zod';

/**
 * Schemas of the workspace's data in the stand-in's own format, which `payloads/` converts to Slack's. Times named `ts`
 * are in Slack's format: seconds with six decimals as a string, unique and increasing.
 */
const jsonObject = z.record(z.string(), z.unknown());

const teamSchema = z.object({ id: z.string(), name: z.string(), domain: z.string() });

const personSchema = z.object({
  id: z.string(),
  /** Home team of the person. For someone from another company (Slack Connect), that's the other company's team. */
  teamId: z.string(),
  name: z.string(),
  realName: z.string(),
  email: z.string().optional(),
  title: z.string().default(''),
  timeZone: z.string(),
  /** Other workspaces of the same organization that this person is in. */
  moreTeamIds: z.array(z.string()).optional(),
  /**
   * Workspace ID of this person in interactions, no matter where they click. Default: the home team. Slack may also
   * send the organization's ID. Source: https://github.com/slackapi/bolt-js/issues/1875
   */
  namedTeamId: z.string().optional(),
  /** True for an admin of the organization. `role` applies to workspaces. */
  isOrgAdmin: z.boolean().optional(),
  role: z.enum(['owner', 'admin', 'member', 'guest', 'stranger', 'bot']),
  /** ID of the bot. Set for bots only, like `appId`. */
  botId: z.string().optional(),
  appId: z.string().optional(),
  deactivated: z.boolean().default(false),
});

const channelSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  kind: z.enum(['public', 'private', 'im']),
  /** Name of the channel, empty for a direct message. */
  name: z.string(),
  topic: z.string().default(''),
  purpose: z.string().default(''),
  creatorId: z.string(),
  createdSeconds: z.number(),
  memberIds: z.array(z.string()),
  isArchived: z.boolean().default(false),
  /** True if the channel is shared with another company by Slack Connect. */
  isShared: z.boolean().default(false),
});

const messageSchema = z.object({
  ts: z.string(),
  channelId: z.string(),
  userId: z.string(),
  text: z.string(),
  blocks: z.array(jsonObject).optional(),
  /** True if the app sent rich text itself, instead of markdown that became rich text. */
  sentRichText: z.boolean().optional(),
  attachments: z.array(jsonObject).optional(),
  /** The `ts` of the thread's first message. Set on replies. */
  threadTs: z.string().optional(),
  /** True for a reply that was also sent to the channel. */
  isBroadcast: z.boolean().default(false),
  botId: z.string().optional(),
  appId: z.string().optional(),
  subtype: z.string().optional(),
  editedTs: z.string().optional(),
  metadata: jsonObject.optional(),
  reactions: z.array(z.object({ name: z.string(), userIds: z.array(z.string()) })).default([]),
  /** User ID of the only person who sees an ephemeral message. Ephemeral messages aren't in the history. */
  visibleTo: z.string().optional(),
  /** True for an ephemeral answer to a command, shown below the typed command. */
  isAtCommand: z.boolean().optional(),
  clientMessageId: z.string().optional(),
  /** Shared files, in Slack's format. */
  files: z.array(jsonObject).optional(),
  /** Channel that the author saw next to the app's messages. */
  inView: z.string().optional(),
  username: z.string().optional(),
  iconEmoji: z.string().optional(),
});

const fileSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  userId: z.string(),
  name: z.string(),
  title: z.string(),
  mimeType: z.string(),
  createdSeconds: z.number(),
  /** Content in Base64. Undefined until the upload is complete. */
  base64: z.string().optional(),
  /** Size that the upload announced. */
  bytes: z.number(),
  /** Last segment of the upload URL. Set for files of apps only. */
  ticket: z.string().optional(),
  shares: z.array(
    z.object({ channelId: z.string(), ts: z.string(), threadTs: z.string().optional() }),
  ),
  isDeleted: z.boolean().default(false),
});

const viewSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  userId: z.string(),
  type: z.enum(['modal', 'home']),
  /** The view as the app sent it, with missing block and action IDs filled in. */
  content: jsonObject,
  hash: z.string(),
  rootViewId: z.string(),
  previousViewId: z.string().nullable(),
  externalId: z.string(),
  /** Conversation in which the view was opened. */
  currentChannelId: z.string().optional(),
  /** Current values of the inputs, as in `view.state.values`. */
  values: z.record(z.string(), z.record(z.string(), jsonObject)),
});

const organizationSchema = z.object({
  id: z.string(),
  name: z.string(),
  teamIds: z.array(z.string()),
});

const installationSchema = z.object({
  teamId: z.string(),
  /** Organization in which the app is installed. Its teams share one token. */
  enterpriseId: z.string().optional(),
  botToken: z.string(),
  /** Refresh token, set with token rotation. The token expires at `expiresSeconds` (epoch seconds). */
  refreshToken: z.string().optional(),
  expiresSeconds: z.number().optional(),
  botUserId: z.string(),
  botId: z.string(),
  scopes: z.array(z.string()),
  installedBy: z.string(),
  /**
   * Status of the token. Tokens that no longer work are kept, because Slack's errors for them differ from those for
   * unknown tokens.
   */
  status: z.enum(['active', 'revoked', 'uninstalled']),
});

const sessionSchema = z.object({
  channelId: z.string(),
  threadTs: z.string(),
  title: z.string(),
  status: z.enum(['active', 'processing', 'suspended', 'closed']),
  /** Time when the app last set the status, in epoch ms. */
  setAtMs: z.number(),
});

const suggestionsSchema = z.object({
  title: z.string(),
  prompts: z.array(z.object({ title: z.string(), message: z.string() })),
  /** The `ts` of the newest message when the app suggested the prompts. */
  below: z.string(),
});

const userGroupSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  handle: z.string(),
  name: z.string(),
  memberIds: z.array(z.string()),
});

export const worldSchema = z.object({
  version: z.literal(1),
  app: z.object({
    id: z.string(),
    name: z.string(),
    clientId: z.string(),
    clientSecret: z.string(),
    signingSecret: z.string(),
    appToken: z.string(),
    verificationToken: z.string(),
    /** True if direct messages with the app are threads. See `ReadingOptions`. */
    hasDirectThreads: z.boolean().default(false),
  }),
  teams: z.array(teamSchema),
  organizations: z.array(organizationSchema).default([]),
  people: z.array(personSchema),
  userGroups: z.array(userGroupSchema),
  channels: z.array(channelSchema),
  /** Messages by channel ID, oldest first. */
  messages: z.record(z.string(), z.array(messageSchema)),
  files: z.array(fileSchema).default([]),
  /** Home tabs that the app published, by workspace and person. */
  homes: z.record(z.string(), viewSchema),
  installations: z.array(installationSchema),
  sessions: z.array(sessionSchema).default([]),
  /** Suggested prompts, by channel ID. */
  suggestions: z.record(z.string(), suggestionsSchema).default({}),
});

export type World = z.infer<typeof worldSchema>;
export type Organization = z.infer<typeof organizationSchema>;
export type Team = z.infer<typeof teamSchema>;
export type Person = z.infer<typeof personSchema>;
export type Channel = z.infer<typeof channelSchema>;
export type Message = z.infer<typeof messageSchema>;
export type SharedFile = z.infer<typeof fileSchema>;
export type View = z.infer<typeof viewSchema>;
export type Installation = z.infer<typeof installationSchema>;
export type AgentSession = z.infer<typeof sessionSchema>;
export type UserGroup = z.infer<typeof userGroupSchema>;
