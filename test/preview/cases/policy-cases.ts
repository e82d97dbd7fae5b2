import type { Rule } from '../../../src/policy/policy.ts';
import type { PolicyCase } from '../../../src/policy/ruling.ts';
import { denyStartOf } from '../../../src/slack/people/permissions.ts';
import { renderPersonView } from '../../../src/slack/policy/person-view.ts';
import { renderRuleForm } from '../../../src/slack/policy/rule-form.ts';
import { renderRules } from '../../../src/slack/policy/rules-view.ts';

const [ada, oncall, channel] = ['U04ADALOVEL', 'S04ONCALL01', 'C04ENGINEER'];

const rules: [Rule, Rule] = [
  {
    name: 'On call',
    people: [ada],
    groups: [oncall],
    channels: [channel],
    conversations: ['private'],
    start: true,
    answer: true,
    environments: ['shop', 'docs'],
    models: ['default', 'large-2'],
    connections: ['default', 'staging'],
    automations: ['schedule', 'reaction'],
  },
  {
    name: 'Everyone',
    start: false,
    mcp_servers: false,
    active_runs: 3,
    starts_per_hour: 20,
    automations: [],
    automation_starts_per_hour: 10,
    run_cap: 5,
    person_cap: '20 per day',
    workspace_cap: '$1,500.50 per month',
    time_zone: 'Europe/Berlin',
  },
];
const groups = [{ id: oncall, name: '@oncall' }];
const problem =
  'The policy file /etc/slash-agent/policy.yml has mistakes. Fix these:\n  line 4, rules.0.strat: …\nUntil then, the last valid rules stay in effect.';
const policy: PolicyCase = {
  rules,
  ask: 'a workspace admin',
  facts: {
    userId: ada,
    channelId: channel,
    conversation: 'public',
    inGroups: new Map(),
  },
};
const person = { userId: ada, channelId: channel, isAdmin: true, policy };
const unknown = { ...policy, facts: { ...policy.facts, userId: 'U04GRACEHOP' } };

const form = {
  rule: rules[0],
  was: rules[0].name,
  seen: 'version',
  others: ['Everyone'],
  after: undefined,
  groups,
  timeZone: 'Europe/Berlin',
};

export const policyCases = [
  ['no rules', renderRules({ rules: [], isFromFile: false })],
  ['two rules', renderRules({ rules, isFromFile: false })],
  ['rules from a file with mistakes', renderRules({ rules, isFromFile: true, problem })],
  ['a new rule', renderRuleForm({ ...form, rule: undefined, was: undefined, others: [] }, 'V1')],
  ['a rule to edit', renderRuleForm(form, 'V1')],
  [
    'a rule that someone else changed meanwhile',
    renderRuleForm(
      { ...form, changed: { rules: [{ ...rules[0], start: false }, rules[1]] } },
      'V1',
    ),
  ],
  [
    'a rule that someone else renamed meanwhile',
    renderRuleForm(
      { ...form, was: undefined, changed: { rules: [rules[1]], gone: rules[0].name } },
      'V1',
    ),
  ],
  ['what someone can do, asked', renderPersonView()],
  ['what someone can do', renderPersonView({ ...person, denial: undefined })],
  [
    "what someone can do while Slack doesn't answer",
    renderPersonView({ ...person, userId: 'U04GRACEHOP', policy: unknown, denial: undefined }),
  ],
  [
    'what a guest can do',
    renderPersonView({ ...person, denial: denyStartOf({ role: 'guest', isAdmin: false }) }),
  ],
] as const;
