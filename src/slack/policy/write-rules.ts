import { fingerprint } from 'base/fingerprint';
import { isSameRuleName, type Rule } from '../../policy/policy.ts';
import {
  readStoredRules,
  ruleEntry,
  rulesKey,
  type StoredRule,
} from '../../policy/stored-rules.ts';
import type { NextSetting, Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { policyOwner } from '../people/policies.ts';
import { maxRules } from './rules-view.ts';

/**
 * A change of one rule. `seen` is the version of the rules that the person saw. `was` is the rule's name before, undefined
 * for a new rule. Without `rule`, the rule is removed.
 */
type RuleChange = {
  seen: string;
  was: string | undefined;
  rule?: Rule | undefined;
  after?: string | undefined;
};

type RulesWritten =
  | { outcome: 'written' }
  | { outcome: 'rejected'; field: 'name' | 'after'; problem: string }
  /** Outcome if someone else has changed the rules. `now` has the current ones. */
  | { outcome: 'outdated'; now: readonly StoredRule[] };

export const versionOf = (stored: readonly StoredRule[]): string =>
  fingerprint(stored.map((each) => each.stored));

/**
 * Writes a change of one rule. Two admins' changes at once are written one after the other, because all rules are one
 * setting.
 */
export async function writeRules(
  settings: Pick<Settings, 'change'>,
  { teamId, userId }: RunViewer,
  change: RuleChange,
): Promise<RulesWritten> {
  let written: RulesWritten = { outcome: 'written' };
  await settings.change(policyOwner(teamId), rulesKey, userId, (value) => {
    const changed = changeRules(readStoredRules(value), change);
    if (!('next' in changed)) {
      written = changed;
      return undefined;
    }
    return changed.next;
  });
  return written;
}

/** Returns the rules to write, or the reason for not writing them. */
export function changeRules(
  now: readonly StoredRule[],
  { seen, was, rule, after }: RuleChange,
): RulesWritten | { next: NextSetting } {
  if (isDone(now, { was, rule, after })) return { outcome: 'written' };
  if (versionOf(now) !== seen) return { outcome: 'outdated', now };
  const at = now.findIndex((each) => was !== undefined && each.rule.name === was);
  const others = now.filter((_, index) => index !== at);
  const before = now[at]?.stored;
  if (!rule)
    return { next: { value: storedOf(others), entries: [ruleEntry({ name: was ?? '', before })] } };
  if (others.some((each) => isSameRuleName(each.rule.name, rule.name)))
    return { outcome: 'rejected', field: 'name', problem: 'Another rule has this name.' };
  if (others.length >= maxRules)
    return { outcome: 'rejected', field: 'name', problem: `There are ${maxRules} rules already.` };
  const value = placed(others, rule, after);
  if (!value) return { outcome: 'rejected', field: 'after', problem: notThere };
  const place = value.indexOf(rule) + 1;
  const entry = ruleEntry({ name: was ?? rule.name, before, after: rule, place });
  return { next: { value, entries: [entry] } };
}

const notThere = "This rule isn't there anymore. Choose another place.";

/** Returns true if the rules already include this change, because a repeated delivery must not fail. */
function isDone(now: readonly StoredRule[], { was, rule, after }: Omit<RuleChange, 'seen'>) {
  const isGone = (name = '') => !now.some((each) => each.rule.name === name);
  if (!rule) return isGone(was);
  if (was !== rule.name && !isGone(was)) return false;
  const others = now.filter((each) => each.rule.name !== rule.name);
  return JSON.stringify(placed(others, rule, after)) === JSON.stringify(storedOf(now));
}

const storedOf = (rules: readonly StoredRule[]): unknown[] => rules.map(({ stored }) => stored);

/**
 * Inserts the rule after the one named `after`, or first without a name. Returns undefined if that rule no longer
 * exists.
 */
function placed(
  others: readonly StoredRule[],
  rule: Rule,
  after: string | undefined,
): unknown[] | undefined {
  const at = after === undefined ? 0 : others.findIndex((each) => each.rule.name === after) + 1;
  if (after !== undefined && at === 0) return undefined;
  return storedOf(others).toSpliced(at, 0, rule);
}
