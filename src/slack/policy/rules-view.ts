/** Renders the modal that lists the rules of a workspace. */
import type { KnownBlock, ModalView } from '@slack/types';
import { amountText, capText, readCap } from '../../policy/cap-text.ts';
import {
  type ConversationKind,
  defaultChoice,
  permissionNames,
  type Rule,
  type Subject,
} from '../../policy/policy.ts';
import { actions, button, context, modal, section } from '../text/blocks.ts';
import { escapeText, shorten } from '../text/escape-text.ts';

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
  /** Mistakes in the policy file that keep it from being reloaded, if any. */
  problem?: string | undefined;
};

/** Max characters of a rule, because a view has at most 100 blocks and 250,000 bytes. */
const maxRuleLength = 2_000;
const maxShown = 90;
export const maxRules = 80;

export function renderRules({ rules, isFromFile, problem }: RulesContent): ModalView {
  const more = rules.length - maxShown;
  return modal({
    title: 'Rules',
    close: 'Back',
    blocks: [
      context(intro),
      ...(isFromFile ? [section(fromFile)] : []),
      ...(problem ? [section(`⚠️ ${escapeText(problem, 1_500)}`)] : []),
      actions([
        ...(isFromFile || rules.length >= maxRules ? [] : [button(ruleIds.add, 'Add rule')]),
        button(ruleIds.try, 'Check permissions'),
      ]),
      ...(rules.length === 0 ? [section(noRules)] : []),
      ...rules.slice(0, maxShown).map((rule, index) => renderRule(rule, index, isFromFile)),
      ...(more > 0 ? [context(`… and ${more} more.`)] : []),
    ],
  });
}

const intro =
  'Rules are checked from top to bottom. Each permission and limit comes from the first matching rule that sets it.';
const fromFile =
  "🔒 These rules come from the operator's policy file (POLICY_FILE), and can only be changed there.";
const noRules =
  "*No rules yet.* Full members can start runs everywhere and manage their own. Workspace admins can also cancel other people's runs, publish their changes and merge their pull requests.";

function renderRule(rule: Rule, index: number, isFromFile: boolean): KnownBlock {
  const { name } = rule;
  const lines = [`*${index + 1}. ${name}*`, ...ruleLines(rule)];
  return section(
    shorten(lines.join('\n'), maxRuleLength),
    isFromFile ? undefined : button(ruleIds.edit, 'Edit', { value: name }),
  );
}

export const subjectLabels: Record<Subject, string> = {
  start: 'Start runs',
  mcp_servers: 'Add their own MCP servers',
  workflows: 'Start runs from workflow steps',
  cancel: "Cancel other people's runs",
  answer: "Answer agents in other people's runs",
  borrow_keys: "Use the creator's keys in other people's runs",
  publish: "Publish changes from other people's runs",
  merge: "Merge pull requests from other people's runs",
  spend: 'Approve spending over a cap',
  environments: 'Environments',
  models: 'Models',
  connections: 'Connections',
  active_runs: 'Max active runs per person',
  starts_per_hour: 'Max new runs per person per hour',
  automations: 'Automations',
  automation_starts_per_hour: 'Max new runs per automation per hour',
  run_cap: 'Cap per run',
  person_cap: 'Cap per person',
  channel_cap: 'Cap per channel',
  group_cap: 'Cap per user group',
  environment_cap: 'Cap per environment',
  workspace_cap: 'Cap for the workspace',
};

export const conversationNames: Record<ConversationKind, readonly string[]> = {
  public: ['public channels'],
  private: ['private channels', 'direct messages between people'],
  direct: ['direct messages with the app'],
};

const maxListed = 10;

function joinListed(words: readonly string[]): string {
  const more = words.length > maxListed ? ` and ${words.length - maxListed} more` : '';
  return `${words.slice(0, maxListed).join(', ')}${more}`;
}

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

function anyOf(words: readonly string[]): string {
  const more = words.length > maxListed ? [`${words.length - maxListed} more`] : [];
  return alternatives.format([...words.slice(0, maxListed), ...more]);
}

/** Renders a value of a rule as mrkdwn. */
export function valueText(subject: Subject, value: NonNullable<Rule[Subject]>): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return subject === 'run_cap' ? amountText(value) : String(value);
  if (typeof value === 'string') {
    const cap = readCap(value);
    return cap ? capText(cap) : escapeText(value, 40);
  }
  if (value.length === 0) return 'none';
  // Explain "default" for models and environments. Connections can have that name.
  const none = subject === 'connections' ? '' : ` (no ${subject.replace(/s$/, '')} chosen)`;
  return joinListed(
    value.map((id) => (id === defaultChoice ? `${id}${none}` : escapeText(id, 150))),
  );
}

/** Renders the people and conversations that the rule applies to. */
function scopeLines({ people, groups, channels, conversations }: Rule): string[] {
  const who = [
    ...(people ?? []).map((id) => `<@${id}>`),
    ...(groups ?? []).map((id) => `<!subteam^${id}>`),
  ];
  const where = [
    ...(channels ?? []).map((id) => `<#${id}>`),
    ...(conversations ?? []).flatMap((kind) => conversationNames[kind]),
  ];
  return [`Who: *${anyOf(who) || 'everyone'}*`, `Where: *${anyOf(where) || 'everywhere'}*`];
}

/** Returns a line with the permissions that the rule sets to this value, or an empty list. */
function permissionsLine(rule: Rule, value: boolean): string[] {
  const labels = permissionNames
    .filter((each) => rule[each] === value)
    .map((each) => subjectLabels[each]);
  return labels.length > 0 ? [`${value ? 'Allow' : 'Block'}: *${labels.join(', ')}*`] : [];
}

const valueSubjects = (Object.keys(subjectLabels) as Subject[]).filter(
  (subject) => !(permissionNames as readonly string[]).includes(subject),
);

/** Returns the scope of the rule, then its permissions and limits. */
export function ruleLines(rule: Rule): string[] {
  const values = valueSubjects.flatMap((subject) => {
    const value = rule[subject];
    return value === undefined ? [] : [`${subjectLabels[subject]}: *${valueText(subject, value)}*`];
  });
  return [
    ...scopeLines(rule),
    ...permissionsLine(rule, true),
    ...permissionsLine(rule, false),
    ...values,
    ...(rule.time_zone ? [`Time zone of caps: *${escapeText(rule.time_zone, 64)}*`] : []),
  ];
}
