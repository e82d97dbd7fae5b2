/** Reads the rules that admins set, which are stored as a list. Creates the audit entries of their changes. */
import { closedRule, type Rule, ruleSchema } from './policy.ts';

/** A stored rule. `stored` is kept unchanged, because this version may not be able to read it. */
export type StoredRule = { rule: Rule; stored: unknown; isReadable: boolean };

/** Key of the workspace setting with the rules. */
export const rulesKey = 'policy.rules';

export function readStoredRules(value: unknown): StoredRule[] {
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.map((stored) => {
    const read = ruleSchema.safeParse(stored);
    return { stored, isReadable: read.success, rule: read.success ? read.data : unreadable };
  });
}

const unreadable = closedRule('A rule of another version of the app');

/** Returns rules in the order in which they apply. Rules that can't be read come first and block everything. */
export const rulesInOrder = (stored: readonly StoredRule[]): Rule[] =>
  stored
    .toSorted((one, other) => Number(one.isReadable) - Number(other.isReadable))
    .map(({ rule }) => rule);

/** Returns the names of rules that mention this person. */
export const rulesWith = (value: unknown, userId: string): string[] =>
  readStoredRules(value).flatMap(({ rule }) => (rule.people?.includes(userId) ? [rule.name] : []));

/**
 * Returns the rules without a deleted person. Drops rules that named only this person, because they would then apply to
 * everyone.
 */
export function withoutPerson(value: unknown, userId: string): unknown[] {
  return readStoredRules(value).flatMap(({ stored, rule, isReadable }) => {
    if (!isReadable || !rule.people?.includes(userId)) return [stored];
    const { people, ...others } = rule;
    const left = people.filter((id) => id !== userId);
    if (left.length > 0) return [{ ...rule, people: left }];
    return rule.groups ? [others] : [];
  });
}

/** Audit entry for a changed rule. It contains whole rules as JSON, because rules have no prompts and no keys. */
type RuleEntry = {
  action: 'rule_added' | 'rule_changed' | 'rule_removed';
  entity: { type: 'rule'; id: string };
  details: Record<string, string | number>;
};

/**
 * One change of a rule, for the audit log. `place` is its position among the rules, from 1. `source` names the policy
 * file if the rule comes from there.
 */
type Change = {
  name: string;
  before?: unknown;
  after?: unknown;
  place?: number | undefined;
  source?: string;
};

export const ruleEntry = ({ name, before, after, place, source }: Change): RuleEntry => ({
  action:
    after === undefined ? 'rule_removed' : before === undefined ? 'rule_added' : 'rule_changed',
  entity: { type: 'rule', id: name },
  details: {
    ...(source !== undefined && { source }),
    ...(place !== undefined && { place }),
    ...(before !== undefined && { before: JSON.stringify(before) }),
    ...(after !== undefined && { after: JSON.stringify(after) }),
  },
});

/** Returns audit entries for the rules that differ between two lists, compared by name. */
export function ruleEntries(was: unknown, is: unknown, source: string): RuleEntry[] {
  const [before, after] = [byName(was), byName(is)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const [oldOrder, newOrder] = [before, after].map((rules) =>
    [...rules.keys()].filter((name) => before.has(name) && after.has(name)),
  );
  const isChanged = (name: string) =>
    JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)) ||
    oldOrder?.indexOf(name) !== newOrder?.indexOf(name);
  const places = [...after.keys()];
  return names.filter(isChanged).map((name) => {
    const place = after.has(name) ? places.indexOf(name) + 1 : undefined;
    return ruleEntry({ name, before: before.get(name), after: after.get(name), place, source });
  });
}

/**
 * Returns audit entries for deleting a person from rules. Replaces the person's ID, because the audit log keeps
 * entries.
 */
export function ruleEntriesWithout(userId: string, was: unknown, is: unknown): RuleEntry[] {
  const entries = ruleEntries(was, is, 'people delete');
  return JSON.parse(JSON.stringify(entries).replaceAll(`\\"${userId}\\"`, '\\"deleted\\"'));
}

/** Maps names to stored rules, without rules that this version can't read. */
const byName = (value: unknown) =>
  new Map(
    readStoredRules(value).flatMap(({ rule, stored, isReadable }) =>
      isReadable ? [[rule.name, stored]] : [],
    ),
  );
