/** The modal that lists the rules of a workspace. */
import type { KnownBlock, ModalView } from '@slack/types';
import type { Rule } from '../../policy/policy.ts';
import { actions, button, context, modal, section } from '../text/blocks.ts';
import { escapeText, shorten } from '../text/escape-text.ts';
import { ruleLines } from './rule-words.ts';

export const ruleIds = {
  add: 'policy:add',
  edit: 'policy:edit',
  remove: 'policy:remove',
  try: 'policy:try',
  groups: 'policy:groups',
  save: 'policy:save',
  answer: 'policy:answer',
} as const;

type RulesContent = {
  rules: readonly Rule[];
  isFromFile: boolean;
  /** Why the file isn't read again. */
  problem?: string | undefined;
};

/** A view has at most 100 blocks and 250,000 bytes. */
const mostOfRule = 2_000;
const mostShown = 90;
export const mostRules = 80;

export function renderRules({ rules, isFromFile, problem }: RulesContent): ModalView {
  const more = rules.length - mostShown;
  return modal({
    title: 'Policy',
    close: 'Back',
    blocks: [
      context(howTheyCount),
      ...(isFromFile ? [section(fromFile)] : []),
      ...(problem ? [section(`⚠️ ${escapeText(problem, 1_500)}`)] : []),
      actions([
        ...(isFromFile || rules.length >= mostRules ? [] : [button(ruleIds.add, 'Add rule')]),
        button(ruleIds.try, 'What can someone do?'),
      ]),
      ...(rules.length === 0 ? [section(noRules)] : []),
      ...rules.slice(0, mostShown).map((rule, index) => renderRule(rule, index, isFromFile)),
      ...(more > 0 ? [context(`… and ${more} more.`)] : []),
    ],
  });
}

const howTheyCount =
  'Rules are checked from top to bottom. For each setting, the first matching rule that sets it applies.';
const fromFile =
  "🔒 These rules come from a file of the app's operator (POLICY_FILE). They can only be changed there.";
const noRules =
  "*No rules yet.* Full members can start runs everywhere and manage their own. Workspace admins can also cancel, publish and merge other people's runs.";

function renderRule(rule: Rule, index: number, isFromFile: boolean): KnownBlock {
  const { name } = rule;
  const lines = [`*${index + 1}. ${name}*`, ...ruleLines(rule)];
  return section(
    shorten(lines.join('\n'), mostOfRule),
    isFromFile ? undefined : button(ruleIds.edit, 'Edit', { value: name }),
  );
}
