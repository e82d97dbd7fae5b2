/** The rules that admins set, as they are stored: a list, first to last. */
import { closedRule, type Rule, ruleSchema } from './policy.ts';

/** `stored`: as it was written, also what this version can't read. */
export type StoredRule = { rule: Rule; stored: unknown; isReadable: boolean };

/** The setting of a workspace. */
export const rulesKey = 'policy.rules';

export function readStoredRules(value: unknown): StoredRule[] {
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.map((stored) => {
    const read = ruleSchema.safeParse(stored);
    return { stored, isReadable: read.success, rule: read.success ? read.data : unreadable };
  });
}

const unreadable = closedRule('A rule of another version of the app');

/** In the order in which they count. One that can't be read refuses everything, before all others. */
export const rulesThatCount = (stored: readonly StoredRule[]): Rule[] =>
  stored
    .toSorted((one, other) => Number(one.isReadable) - Number(other.isReadable))
    .map(({ rule }) => rule);

/** The names of the rules that are for this person. */
export const rulesWith = (value: unknown, userId: string): string[] =>
  readStoredRules(value).flatMap(({ rule }) => (rule.people?.includes(userId) ? [rule.name] : []));

/** Without a person who was deleted. A rule for nobody else goes too: without people, it would be for everyone. */
export function withoutPerson(value: unknown, userId: string): unknown[] {
  return readStoredRules(value).flatMap(({ stored, rule, isReadable }) => {
    if (!isReadable || !rule.people?.includes(userId)) return [stored];
    const { people, ...others } = rule;
    const left = people.filter((id) => id !== userId);
    if (left.length > 0) return [{ ...rule, people: left }];
    return rule.groups ? [others] : [];
  });
}
