/** Finds the rule that applies. `policies.ts` reads the facts. */
import type { ConversationKind, PermissionName, Policy, Rule, Subject } from './policy.ts';

/** Facts about a person and a conversation. */
export type PolicyFacts = {
  /** ID of the person. Undefined for a workflow step that names no person. */
  userId: string | undefined;
  /** ID of the conversation. Undefined if there's none yet. Rules for channels don't apply then. */
  channelId: string | undefined;
  /** Kind of the conversation. Undefined while Slack doesn't answer. */
  conversation: ConversationKind | undefined;
  /** True for each group that the person is in, by group ID. A group is missing while Slack doesn't answer. */
  inGroups: ReadonlyMap<string, boolean>;
  /** True if the app isn't allowed to see who is in which group. */
  hasHiddenGroups?: boolean;
};

/** A policy with the facts for one decision. */
export type PolicyCase = Policy & { facts: PolicyFacts };

/**
 * Result of applying the rules. Without `rule`, the app's default applies. `isUnknown` means that Slack didn't say if
 * the rule applies.
 */
export type Ruling<Value> = {
  value?: Value | undefined;
  rule?: Rule;
  isUnknown?: true;
  /** True if the app isn't allowed to see groups. Retrying doesn't help then. */
  isHidden?: boolean;
  /** People who can change the rule, such as "a workspace admin". Undefined if this person can. */
  ask: string | undefined;
};

/** Returns the value of the first rule that sets this subject and matches the person and the conversation. */
export function rulingOn<Of extends Subject>(
  { rules, ask, facts }: PolicyCase,
  subject: Of,
): Ruling<NonNullable<Rule[Of]>> {
  for (const rule of rules) {
    const value = rule[subject];
    if (value === undefined || value === null) continue;
    const match = both(matchesPerson(rule, facts), matchesPlace(rule, facts));
    const isHidden = facts.hasHiddenGroups === true && rule.groups !== undefined;
    if (match === 'unknown') return { rule, isUnknown: true, isHidden, ask };
    if (match === 'yes') return { rule, value, ask };
  }
  return { ask };
}

/** Returns the policy for this person. Admins can change its rules themselves, unless a file sets them. */
export const policyForActor = (policy: PolicyCase, actor: { isAdmin: boolean }): PolicyCase =>
  actor.isAdmin && !policy.isFromFile ? { ...policy, ask: undefined } : policy;

/** Returns true if a person can choose this environment, model or connection. */
export function allowsId(policy: PolicyCase, subject: IdSubject, id: string) {
  const { value, isUnknown } = rulingOn(policy, subject);
  return !isUnknown && (value?.includes(id) ?? true);
}

/** Returns true if there may be a channel where this person can start runs. */
export function startsSomewhere({ rules, facts }: PolicyCase): boolean {
  for (const rule of rules) {
    if (rule.start === undefined || matchesPerson(rule, facts) === 'no') continue;
    if (rule.start) return true;
    if (!isForPlaces(rule)) return false;
  }
  return true;
}

export const isForPlaces = ({ channels, conversations }: Rule): boolean =>
  channels !== undefined || conversations !== undefined;

const isForSome = ({ people, groups }: Rule): boolean =>
  people !== undefined || groups !== undefined;

type IdSubject = 'environments' | 'models' | 'connections';

type Match = 'yes' | 'no' | 'unknown';

function both(one: Match, other: Match): Match {
  if (one === 'no' || other === 'no') return 'no';
  return one === 'yes' && other === 'yes' ? 'yes' : 'unknown';
}

function matchesPerson(rule: Rule, { userId, inGroups }: PolicyFacts): Match {
  if (!isForSome(rule)) return 'yes';
  if (userId === undefined) return 'no';
  if (rule.people?.includes(userId)) return 'yes';
  const groups = (rule.groups ?? []).map((id) => inGroups.get(id));
  if (groups.includes(true)) return 'yes';
  return groups.includes(undefined) ? 'unknown' : 'no';
}

function matchesPlace(rule: Rule, { channelId, conversation }: PolicyFacts): Match {
  if (!isForPlaces(rule)) return 'yes';
  if (channelId === undefined) return 'no';
  if (rule.channels?.includes(channelId)) return 'yes';
  if (!rule.conversations) return 'no';
  if (conversation === undefined) return 'unknown';
  return rule.conversations.includes(conversation) ? 'yes' : 'no';
}

/** Returns the names of the rules that grant this permission in this conversation. */
export const rulesThatAllow = ({ rules, facts }: PolicyCase, subject: PermissionName): string[] =>
  rules
    .filter((rule) => rule[subject] && matchesPlace(rule, facts) === 'yes')
    .map(({ name }) => name);

/** Returns the people and groups that rules grant this permission in this conversation, as mrkdwn. */
export function namedFor(policy: PolicyCase, subject: PermissionName): string[] {
  const { people, groups } = idsFor(policy, subject);
  return [...people.map((id) => `<@${id}>`), ...groups.map((id) => `<!subteam^${id}>`)];
}

/** Returns the IDs of the people and groups that rules grant this permission in this conversation. */
export function idsFor({ rules, facts }: PolicyCase, subject: PermissionName) {
  const allowing = rules.filter((rule) => rule[subject] && matchesPlace(rule, facts) === 'yes');
  return {
    people: [...new Set(allowing.flatMap((rule) => rule.people ?? []))],
    groups: [...new Set(allowing.flatMap((rule) => rule.groups ?? []))],
  };
}
