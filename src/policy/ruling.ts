/** Which rule of a policy decides. Pure: `policies.ts` reads the facts. */
import type { ConversationKind, Policy, Rule, Subject, YesOrNo } from './policy.ts';

/** Who asks, and where. */
export type PolicyFacts = {
  /** Undefined for a workflow step that names nobody. */
  userId: string | undefined;
  /** Undefined if it isn't known where; rules for some places don't count then. */
  channelId: string | undefined;
  /** Undefined while Slack doesn't say. */
  conversation: ConversationKind | undefined;
  /** Whether they are in a group. Missing while Slack doesn't say. */
  inGroups: ReadonlyMap<string, boolean>;
  /** Slack doesn't let the app see who is in which group. */
  hasHiddenGroups?: boolean;
};

/** A policy and the facts of one question. */
export type PolicyCase = Policy & { facts: PolicyFacts };

/** `rule`: the one that decides; without it, the app's default counts. `isUnknown`: Slack doesn't say whether it's for them. */
export type Ruling<Value> = {
  value?: Value | undefined;
  rule?: Rule;
  isUnknown?: true;
  /** Because Slack doesn't let the app see groups, which won't pass. */
  isHidden?: boolean;
  /** Who can change it. */
  ask: string;
};

/** The first rule that is for this person in this place, and says something about the subject. */
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

/** Whether this can be chosen. */
export function allowsId(policy: PolicyCase, subject: IdSubject, id: string) {
  const { value, isUnknown } = rulingOn(policy, subject);
  return !isUnknown && (value?.includes(id) ?? true);
}

/** Whether there is a place where this person may start runs, or may be. */
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

/** The people and groups whom rules allow this in this place, as mrkdwn. */
export function namedFor({ rules, facts }: PolicyCase, subject: YesOrNo): string[] {
  const allowing = rules.filter((rule) => rule[subject] && matchesPlace(rule, facts) === 'yes');
  const people = allowing.flatMap((rule) => rule.people ?? []).map((id) => `<@${id}>`);
  const groups = allowing.flatMap((rule) => rule.groups ?? []).map((id) => `<!subteam^${id}>`);
  return [...new Set([...people, ...groups])];
}
