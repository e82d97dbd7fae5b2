import { isSameRuleName, type Rule } from '../../policy/policy.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { policyOwner, ruleKey, type StoredRule } from '../people/policies.ts';
import { mostRules } from './rules-view.ts';

/** `was`: its name so far. */
type Written = { rule: Rule; order: number; was: string | undefined };

/** A number between those of the rule before it and the next one. */
export function placeAfter(
  stored: readonly StoredRule[],
  { after }: { after: string | undefined },
  was: string | undefined,
): number {
  const others = stored.filter(({ rule, order }) => rule.name !== was && Number.isFinite(order));
  const at = after === undefined ? -1 : others.findIndex(({ rule }) => rule.name === after);
  const before = others[at]?.order;
  const next = others[at + 1]?.order;
  if (before === undefined) return next === undefined ? 0 : next - 1;
  return next === undefined ? before + 1 : (before + next) / 2;
}

/** @returns why it can't be saved */
export async function writeRule(
  settings: Pick<Settings, 'write' | 'remove'>,
  { teamId, userId }: RunViewer,
  { rule, order, was }: Written,
  stored: readonly StoredRule[],
): Promise<string | undefined> {
  const others = stored.filter(({ rule: { name } }) => name !== was);
  if (others.some(({ rule: { name } }) => isSameRuleName(name, rule.name)))
    return 'Another rule has this name.';
  if (others.length >= mostRules) return `There are ${mostRules} rules already.`;
  const key = ruleKey(rule.name);
  await settings.write(policyOwner(teamId), key, { order, rule }, userId);
  const before = stored.find(({ rule: { name } }) => name === was);
  if (before && before.key !== key) await settings.remove(policyOwner(teamId), before.key, userId);
  return undefined;
}
