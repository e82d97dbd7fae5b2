/** What the audit log says of changed rules. They have no prompts and no keys, so it has all of them, as JSON. */
import { readStoredRules } from './stored-rules.ts';

type RuleEntry = {
  action: 'rule_added' | 'rule_changed' | 'rule_removed';
  entity: { type: 'rule'; id: string };
  details: Record<string, string | number>;
};

/** `place`: counts from 1. `source`: what changed it, if no admin did in Slack. */
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

/** Of a list that was written as a whole. Rules are the same by name. */
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

/** For someone whose data is deleted: the entries stay, so they don't name them. */
export function ruleEntriesWithout(userId: string, was: unknown, is: unknown): RuleEntry[] {
  const entries = ruleEntries(was, is, 'people delete');
  return JSON.parse(JSON.stringify(entries).replaceAll(`\\"${userId}\\"`, '\\"deleted\\"'));
}

/** Those that this version can read. */
const byName = (value: unknown) =>
  new Map(
    readStoredRules(value).flatMap(({ rule, stored, isReadable }) =>
      isReadable ? [[rule.name, stored]] : [],
    ),
  );
