import { randomBytes } from 'node:crypto';
import { nextTime } from 'base/schedule/cron';
import { agentConfigSchema } from 'runs-client/contract';
import { z } from 'zod';
import { emojiName } from './emoji.ts';

/** Kinds of triggers, as rules and the database name them. */
export const triggerKinds = ['schedule', 'webhook', 'message', 'reaction'] as const;
export type TriggerKind = (typeof triggerKinds)[number];

/** Senders of webhooks. Each signs deliveries in its own way. See `src/automations/webhook/`. */
export const webhookSenders = [
  ...(['bearer', 'standard', 'github', 'gitlab', 'sentry', 'pagerduty'] as const),
] as const;
export type WebhookSender = (typeof webhookSenders)[number];

/** One comparison of a payload's field, such as `issue.title contains crash`. `*` in `matches` stands for any text. */
export const conditionSchema = z.object({
  field: z.string().min(1).max(200),
  is: z.enum(['equals', 'contains', 'matches']),
  text: z.string().max(500),
});
export type Condition = z.infer<typeof conditionSchema>;

/** Max conditions of a filter, because each one searches the payload. */
export const mostConditions = 20;

/** A payload passes if at least one condition of every group holds. */
export const filterSchema = z
  .array(z.array(conditionSchema).min(1))
  .refine((groups) => groups.flat().length <= mostConditions);
export type Filter = z.infer<typeof filterSchema>;

const ids = z.array(z.string().min(1).max(40)).max(50);

export const triggerSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('schedule'),
    /** Cron expression with five fields. */
    cron: z.string().max(200),
    /** IANA time zone in which the expression applies. */
    timeZone: z.string().max(64),
    /** If the last run is still in progress, a due one is skipped, or starts when that one has ended. */
    overlap: z.enum(['skip', 'queue']),
  }),
  z.object({ kind: z.literal('webhook'), sender: z.enum(webhookSenders), filter: filterSchema }),
  z.object({
    kind: z.literal('message'),
    /** Text that a message must contain. `*` stands for any text. Empty for every message. */
    text: z.string().max(500),
    /** IDs of people whose messages count. Empty for every full member. */
    people: ids,
    /** IDs of bots (`B…`) whose messages count, as long as an admin allows them. */
    bots: ids,
    /** True if only the messages of bots count. */
    onlyBots: z.boolean(),
  }),
  /** Emoji is a name without colons, such as `eyes`. */
  z.object({ kind: z.literal('reaction'), emoji: z.string().min(1).max(100).transform(emojiName) }),
]);
export type Trigger = z.infer<typeof triggerSchema>;

export const defaultLimits = { startsPerHour: 20, activeRuns: 3 } as const;
/** Max automations of a channel, because every message in it reads them all. */
export const mostInChannel = 100;
/** Number of failed starts in a row after which an automation is paused. */
export const failedStartsAllowed = 5;

/** Part of an automation that a person decides, and can change later. */
export const definitionSchema = z.object({
  trigger: triggerSchema,
  /** Prompt template. `{{ payload.issue.title }}` stands for a value of what fired the automation. */
  prompt: z.string().min(1).max(20_000),
  title: z.string().max(200),
  /** Reference of a preset that the owner can use, such as `channel:review`. */
  preset: z.string().max(200).nullable(),
  /** Options that replace the preset's and the defaults. */
  config: agentConfigSchema,
  /**
   * Where a schedule or webhook shows its runs: a new message each time, or replies to one message. Runs for messages
   * and reactions are shown in the thread of the message.
   */
  show: z.enum(['message', 'thread']),
  startsPerHour: z.number().int().min(1).max(1_000),
  activeRuns: z.number().int().min(1).max(100),
});
export type Definition = z.infer<typeof definitionSchema>;

/**
 * Why an automation is paused. `person`: someone paused it. `owner`: its owner isn't allowed to start runs anymore.
 * `failures`: too many starts in a row failed. `sentence` is mrkdwn that says why.
 */
export const pauseSchema = z.object({
  code: z.enum(['person', 'owner', 'failures']),
  sentence: z.string(),
  /** Slack user ID of the person, or `system`. */
  by: z.string(),
  at: z.number(),
});
export type Pause = z.infer<typeof pauseSchema>;

/**
 * An automation starts runs as its owner, with the owner's permissions, keys and caps. It's on unless it has a pause.
 * Times are epoch milliseconds.
 */
export const automationSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  ownerId: z.string(),
  /** Channel in which it shows its runs. Messages and reactions fire it only in this channel. */
  channelId: z.string(),
  /** Name, unique in its channel. */
  name: z.string(),
  definition: definitionSchema,
  pause: pauseSchema.nullable(),
  /** Next due time of a schedule. Null for other triggers, and while it's paused. */
  nextAt: z.number().nullable(),
  /** Number of starts in a row that failed. */
  failedStarts: z.number(),
  createdAt: z.number(),
  changedAt: z.number(),
  changedBy: z.string(),
  /** Grows with every change by a person, so that two people can't overwrite each other's. */
  revision: z.number(),
});
export type Automation = z.infer<typeof automationSchema>;

/** Returns the next due time of a schedule, and null for other triggers. */
export const nextAtOf = ({ trigger }: Pick<Definition, 'trigger'>, now: number): number | null =>
  trigger.kind === 'schedule' ? nextTime(trigger, now) : null;

/** Returns a new ID. Webhook addresses contain it, so it can't be guessed. */
export const newAutomationId = (): string => randomBytes(12).toString('hex');
