/** Defines the schemas of a workspace's rules. See docs/admin.md. */
import { isTimeZone } from 'base/time/local-time';
import { z } from 'zod';
import { triggerKinds } from '../automations/automation.ts';
import { capExample, readCap } from './cap-text.ts';

/** Rejects markup in names, because forms and messages show them. */
const ruleName = z.string().regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} .,'()/+-]{0,58}[\p{L}\p{N}.)])?$/u, {
  error: "must be a name of 1 to 60 letters, digits, spaces and . , ' ( ) / + -",
});
const slackIds = (kind: string, pattern: RegExp) =>
  z
    .array(z.string().regex(pattern, { error: `must be the ID of ${kind}` }))
    .min(1, { error: 'must name at least one, or be left out' })
    .max(100);
const wholeNumber = { error: 'must be a whole number' };
const count = z.number(wholeNumber).int(wholeNumber).min(1, { error: 'must be 1 or more' });
const runAmount = { error: 'must be an amount in dollars, such as 5' };
/** Max cost of one run, in US dollars. */
const runCap = z
  .number(runAmount)
  .min(0.01, runAmount)
  .max(1_000_000, { error: 'must be 1,000,000 or less' });
/** Max spending in a period, such as "$50 per week". */
const periodCap = z
  .string()
  .max(40)
  .refine((text) => readCap(text) !== undefined, {
    error: `must be an amount and a period, such as "${capExample}"`,
  });
/** ID that stands for "nothing chosen" in a rule's list. It's also the name of the operator's connection. */
export const defaultChoice = 'default';
/** Rejects markup in IDs, because denials show them. */
const configIds = z
  .array(z.string().regex(/^(?!.*[<>&`,])[\x21-\x7e]{1,150}$/, { error: 'must be an ID' }))
  .min(1, { error: 'must name at least one, or be left out' })
  .max(100);

/** Kinds of conversations. `direct` means direct messages with the app; those between people are `private`. */
export const conversationKinds = ['public', 'private', 'direct'] as const;
export type ConversationKind = (typeof conversationKinds)[number];

/** Permissions that a rule can allow or block. */
export const permissionNames = [
  ...(['start', 'mcp_servers', 'workflows', 'cancel', 'answer'] as const),
  ...(['borrow_keys', 'publish', 'merge', 'spend'] as const),
] as const;
export type PermissionName = (typeof permissionNames)[number];

const subjects = {
  start: z.boolean().optional(),
  /** Lets people add MCP servers. */
  mcp_servers: z.boolean().optional(),
  /** Lets workflow steps start runs. */
  workflows: z.boolean().optional(),
  cancel: z.boolean().optional(),
  answer: z.boolean().optional(),
  /** Lets people message, answer, publish and retry runs that use their creator's own keys. */
  borrow_keys: z.boolean().optional(),
  publish: z.boolean().optional(),
  merge: z.boolean().optional(),
  /** Lets people allow a run more than its caps. */
  spend: z.boolean().optional(),
  environments: configIds.optional(),
  models: configIds.optional(),
  /** Names, not IDs, of connections. */
  connections: configIds.optional(),
  /** Max active runs of one person. */
  active_runs: count.optional(),
  /** Max starts of one person within an hour. */
  starts_per_hour: count.optional(),
  /** Triggers of automations that people can create and own. An empty list blocks all automations. */
  automations: z
    .array(z.enum(triggerKinds, { error: `must be one of ${triggerKinds.join(', ')}` }))
    .max(triggerKinds.length)
    .optional(),
  /** Max starts of one automation within an hour. */
  automation_starts_per_hour: count.optional(),
  run_cap: runCap.optional(),
  /** Max spending of each person. */
  person_cap: periodCap.optional(),
  /** Max spending in each channel. */
  channel_cap: periodCap.optional(),
  /** Max spending of all people together in each of the rule's groups. */
  group_cap: periodCap.optional(),
  /** Max spending in each environment. */
  environment_cap: periodCap.optional(),
  workspace_cap: periodCap.optional(),
};
export type Subject = keyof typeof subjects;

const who = {
  people: slackIds('a person, such as U012AB3CD', /^[UW][A-Z0-9]{2,30}$/).optional(),
  groups: slackIds('a user group, such as S012AB3CD', /^S[A-Z0-9]{2,30}$/).optional(),
};

/**
 * Schema of the admins in a policy file. Needed with an organization's token, because Slack then doesn't say who the
 * admins are.
 */
export const adminsSchema = z
  .strictObject(who)
  .refine(({ people, groups }) => people ?? groups, { error: 'must name people or groups' });
export type Admins = z.infer<typeof adminsSchema>;

export const ruleSchema = z
  .strictObject({
    name: ruleName,
    /** People and groups that the rule applies to. Without either, it applies to everyone. */
    ...who,
    /** Channels and kinds of conversations that the rule applies to. Without either, it applies everywhere. */
    channels: slackIds('a channel, such as C012AB3CD', /^[CDG][A-Z0-9]{2,30}$/).optional(),
    conversations: z.array(z.enum(conversationKinds)).min(1).optional(),
    ...subjects,
    /** IANA time zone in which the days, weeks and months of the rule's caps start. UTC by default. */
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, { error: 'must be a time zone, such as Europe/Berlin' })
      .optional(),
  })
  .refine((rule) => subjectNames.some((subject) => rule[subject] !== undefined), {
    error: 'sets nothing; add what it allows or blocks, such as "start: false"',
  })
  .refine(({ group_cap: cap, groups }) => cap === undefined || groups !== undefined, {
    path: ['group_cap'],
    error: 'needs user groups that the rule applies to',
  });
export type Rule = z.infer<typeof ruleSchema>;

export const subjectNames = Object.keys(subjects) as Subject[];

export const isSameRuleName = (one: string, other: string) =>
  one.toLowerCase() === other.toLowerCase();

export const rulesSchema = z
  .array(ruleSchema)
  .max(100)
  .superRefine((rules, context) => {
    for (const [index, { name }] of rules.entries()) {
      if (rules.findIndex((each) => isSameRuleName(each.name, name)) < index)
        context.addIssue({ code: 'custom', path: [index], message: `is another rule "${name}"` });
    }
  });

/** Creates a rule that blocks everything, to replace one that can't be read. */
export const closedRule = (name: string): Rule => ({
  name,
  ...Object.fromEntries(permissionNames.map((each) => [each, false])),
  automations: [],
});

/**
 * Rules of a workspace, in the order in which they apply. `ask` names the people who can change the rules, such as "a
 * workspace admin". `ask` is undefined if the current person can change them.
 */
export type Policy = {
  rules: readonly Rule[];
  ask: string | undefined;
  /** True for rules of the operator's file, which nobody can change in Slack. */
  isFromFile?: boolean;
};
