/** The rules of a workspace: who may do what, and where. See docs/policies.md. */
import { z } from 'zod';

/** No markup, so that a name can be shown everywhere. */
const ruleName = z.string().regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} .,'()/+-]{0,58}[\p{L}\p{N}.)])?$/u, {
  error: "must be a name of 1 to 60 letters, digits, spaces and . , ' ( ) / + -",
});
const slackIds = (kind: string, pattern: RegExp) =>
  z
    .array(z.string().regex(pattern, { error: `must be the ID of ${kind}` }))
    .min(1, { error: 'must name at least one, or be left out' })
    .max(100);
const count = z.number().int().min(1, { error: 'must be 1 or more' });
/** In a list: that none is chosen. It's also the name of the operator's connection. */
export const noneChosen = 'default';
/** Shown in refusals, so without markup. */
const configIds = z
  .array(z.string().regex(/^(?!.*[<>&`,])[\x21-\x7e]{1,150}$/, { error: 'must be an ID' }))
  .min(1, { error: 'must name at least one, or be left out' })
  .max(100);

/** `direct`: direct messages with the app. Those between people are private, also in groups. */
export const conversationKinds = ['public', 'private', 'direct'] as const;
export type ConversationKind = (typeof conversationKinds)[number];

/** What a rule can say yes or no to. Except for `start`, they concern other people's runs. */
export const yesOrNo = [
  ...(['start', 'mcp_servers', 'workflows', 'cancel', 'answer'] as const),
  ...(['borrow_keys', 'publish', 'merge'] as const),
] as const;
export type YesOrNo = (typeof yesOrNo)[number];

const subjects = {
  start: z.boolean().optional(),
  /** Whether people can bring MCP servers. */
  mcp_servers: z.boolean().optional(),
  /** Lets workflow steps start runs. */
  workflows: z.boolean().optional(),
  cancel: z.boolean().optional(),
  answer: z.boolean().optional(),
  /** Lets people message, answer, publish and retry runs that use their creator's own keys. */
  borrow_keys: z.boolean().optional(),
  publish: z.boolean().optional(),
  merge: z.boolean().optional(),
  /** Only these. */
  environments: configIds.optional(),
  models: configIds.optional(),
  /** By name. */
  connections: configIds.optional(),
  /** Of one person, at a time. */
  active_runs: count.optional(),
  /** Of one person. */
  starts_per_hour: count.optional(),
};
export type Subject = keyof typeof subjects;

const who = {
  people: slackIds('a person, such as U012AB3CD', /^[UW][A-Z0-9]{2,30}$/).optional(),
  groups: slackIds('a user group, such as S012AB3CD', /^S[A-Z0-9]{2,30}$/).optional(),
};

/** With the token of an organization, Slack doesn't say who the admins of a workspace are. */
export const adminsSchema = z
  .strictObject(who)
  .refine(({ people, groups }) => people ?? groups, { error: 'must name people or groups' });
export type Admins = z.infer<typeof adminsSchema>;

export const ruleSchema = z
  .strictObject({
    name: ruleName,
    /** The people that it's for, by name or group; without both, everyone. */
    ...who,
    /** Where it counts, by name or kind; without both, everywhere. */
    channels: slackIds('a channel, such as C012AB3CD', /^[CDG][A-Z0-9]{2,30}$/).optional(),
    conversations: z.array(z.enum(conversationKinds)).min(1).optional(),
    ...subjects,
  })
  .refine((rule) => subjectNames.some((subject) => rule[subject] !== undefined), {
    error: 'says nothing; add what it allows or refuses, such as "start: false"',
  });
export type Rule = z.infer<typeof ruleSchema>;

const subjectNames = Object.keys(subjects) as Subject[];

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

/** Where no rule can be read, nothing is allowed. */
export const closedRule = (name: string): Rule => ({
  name,
  ...Object.fromEntries(yesOrNo.map((each) => [each, false])),
});

/** The rules, first to last, and who can change them. */
export type Policy = { rules: readonly Rule[]; ask: string };
