import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { describe, expect, it } from 'vitest';
import { permissionNames, type Rule, ruleSchema } from '../../src/policy/policy.ts';
import { renderPersonView } from '../../src/slack/policy/person-view.ts';
import { renderRuleForm } from '../../src/slack/policy/rule-form.ts';
import { renderRules } from '../../src/slack/policy/rules-view.ts';
import {
  renderAddForm,
  renderChecking,
  renderConnections,
  renderDone,
  renderKeyForm,
} from '../../src/slack/runs-connections/connections-view.ts';
import { hostileTexts } from './hostile-texts.ts';
import { sent } from './sent-payload.ts';

const isTaken = (view: object) =>
  expect(validateView(sent(view), { types: ['modal'] })).toEqual([]);

const ids = (start: string) =>
  Array.from({ length: 100 }, (_, index) => `${start}${String(index).padStart(10, '0')}`);
/** Builds a rule in which every list and text has its maximum size. */
const largest = (name: string): Rule =>
  ruleSchema.parse({
    name,
    people: ids('U'),
    groups: ids('S'),
    channels: ids('C'),
    conversations: ['public', 'private', 'direct'],
    ...Object.fromEntries(permissionNames.map((each) => [each, false])),
    environments: ids('e'.repeat(130)),
    models: ids('*_~|'.repeat(30)),
    connections: ids('c'),
    active_runs: 999_999,
    starts_per_hour: 999_999,
    run_cap: 999_999.99,
    person_cap: '$999,999.99 per month',
    channel_cap: '$999,999.99 per month',
    group_cap: '$999,999.99 per month',
    environment_cap: '$999,999.99 per month',
    workspace_cap: '$999,999.99 per month',
    time_zone: 'America/Argentina/ComodRivadavia',
  });
const rules = Array.from({ length: 100 }, (_, index) => largest(`Rule ${index} ${'x'.repeat(48)}`));
const [first] = rules;

const problem = { code: 'unauthorized', message: 'Wrong key', since: 0 };

it('the largest rules make modals that Slack takes', () => {
  isTaken(renderRules({ rules, isFromFile: false }));
  isTaken(renderRules({ rules, isFromFile: true }));
  const others = rules.slice(1, 80).map(({ name }) => name);
  const content = { rule: first, was: first?.name, seen: 'version', others, after: others.at(-1) };
  const changed = { rules, gone: 'x'.repeat(60) };
  isTaken(renderRuleForm({ ...content, groups: [], timeZone: 'UTC', changed }, 'V1'));
  const inGroups = new Map(ids('S').map((id) => [id, true]));
  for (const conversation of ['public', undefined] as const) {
    const facts = { userId: 'U01', channelId: 'C01', conversation, inGroups };
    const policy = { rules, ask: 'a workspace admin', facts };
    const shown = { userId: 'U01', channelId: 'C01', isAdmin: false, denial: undefined };
    isTaken(renderPersonView({ ...shown, policy }));
  }
});

it('as many connections as a workspace can have make a modal that Slack takes', () => {
  const connections = Array.from({ length: 21 }, (_, index) => ({
    serviceId: `${index}${'s'.repeat(60)}`,
    name: `${index}${'n'.repeat(38)}`,
    host: 'h'.repeat(253),
    problem,
    ownKey: { problem },
  }));
  isTaken(renderConnections({ connections, isAdmin: true, usual: 'default' }));
});

describe.each(hostileTexts)('a text of %s', (_, text) => {
  it('as a name or a host, makes modals that Slack takes', () => {
    const connection = { serviceId: 's1', name: text, host: text, problem, ownKey: { problem } };
    isTaken(renderConnections({ connections: [connection], isAdmin: true, usual: text }));
    // Connection names have at most 40 characters.
    const place = { serviceId: 's1', name: [...text].slice(0, 40).join('') };
    isTaken(renderKeyForm({ ...place, isOwn: true }));
    isTaken(renderKeyForm({ ...place, isOwn: false }));
    isTaken(renderAddForm());
    isTaken(renderAddForm({ name: text, url: text, isForAll: false }, 'No runs API there.'));
    isTaken(renderChecking());
    isTaken(renderDone('Your next runs use your own key.'));
  });

  it('as the name of a user group, or as a mistake in the file, makes modals that Slack takes', () => {
    const groups = [{ id: 'S0000000000', name: text }];
    const content = { rule: first, was: undefined, seen: 'version', others: [], after: undefined };
    isTaken(renderRuleForm({ ...content, groups, timeZone: 'UTC' }, 'V1'));
    const view = renderRules({ rules: [], isFromFile: true, problem: text });
    isTaken(view);
    expect(JSON.stringify(view)).not.toMatch(/<[!@#]/);
  });

  it('is no name of a rule if it has markup', () => {
    const { success } = ruleSchema.safeParse({ name: text, start: false });
    expect(success && /[<>&*_~`@]/.test(text)).toBe(false);
  });
});
