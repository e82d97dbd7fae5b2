import type { AgentConfig } from 'runs-client/contract';
import { describe, expect, it } from 'vitest';
import { closedRule, type Rule, ruleSchema, rulesSchema } from '../../src/policy/policy.ts';
import {
  allowsId,
  namedFor,
  type PolicyCase,
  type PolicyFacts,
  policyForActor,
  rulingOn,
  startsSomewhere,
} from '../../src/policy/ruling.ts';
import { denyByRule, denyConfig, denyServers } from '../../src/policy/ruling-sentences.ts';

const here: PolicyFacts = {
  userId: 'U01',
  channelId: 'C01',
  conversation: 'public',
  inGroups: new Map([
    ['S01', true],
    ['S02', false],
  ]),
};
/** Creates a rule that blocks starts, unless the fields set something else. */
const aRule = (rule: Partial<Rule>): Rule => ({ name: 'Some', start: false, ...rule });
const aCase = (rules: Rule[], facts: Partial<PolicyFacts> = {}): PolicyCase => ({
  rules,
  ask: 'a workspace admin',
  facts: { ...here, ...facts },
});
const starts = (rule: Partial<Rule>, facts: Partial<PolicyFacts> = {}) => {
  const { value, isUnknown } = rulingOn(aCase([aRule(rule)], facts), 'start');
  return isUnknown ? 'unknown' : value;
};

describe('a rule counts', () => {
  it.each<[string, Partial<Rule>, Partial<PolicyFacts>, boolean | 'unknown' | undefined]>([
    ['for everyone and everywhere', {}, {}, false],
    ['for a person', { people: ['U01', 'U02'] }, {}, false],
    ['not for others', { people: ['U02'] }, {}, undefined],
    ['for a group', { groups: ['S01'] }, {}, false],
    ['not outside of a group', { groups: ['S02'] }, {}, undefined],
    ['for one of several groups', { groups: ['S02', 'S01'] }, {}, false],
    ['perhaps for a group that Slack does not say', { groups: ['S09'] }, {}, 'unknown'],
    [
      'for a person who is named, whatever the group',
      { people: ['U01'], groups: ['S09'] },
      {},
      false,
    ],
    ['not for a workflow without a person', { groups: ['S09'] }, { userId: undefined }, undefined],
    ['for a workflow if it is for everyone', {}, { userId: undefined }, false],
    ['in a channel', { channels: ['C01'] }, {}, false],
    ['not in other channels', { channels: ['C02'] }, {}, undefined],
    [
      'not where nothing is known of the place',
      { channels: ['C01'] },
      { channelId: undefined },
      undefined,
    ],
    ['in a kind of conversation', { conversations: ['public', 'direct'] }, {}, false],
    ['not in other kinds', { conversations: ['private'] }, {}, undefined],
    [
      'in a channel, whatever its kind',
      { channels: ['C01'], conversations: ['private'] },
      {},
      false,
    ],
    [
      'perhaps in a kind that Slack does not say',
      { conversations: ['private'] },
      { conversation: undefined },
      'unknown',
    ],
    ['only for the person in the place', { people: ['U01'], channels: ['C02'] }, {}, undefined],
    [
      'not in the place for others, known or not',
      { groups: ['S09'], channels: ['C02'] },
      {},
      undefined,
    ],
  ])('%s', (_, rule, facts, expected) => {
    expect(starts(rule, facts)).toBe(expected);
  });

  it('only for what it says', () => {
    expect(rulingOn(aCase([aRule({ start: true })]), 'cancel')).toEqual({
      ask: 'a workspace admin',
    });
  });

  it('before those below it that say something about the same', () => {
    const rules = [
      aRule({ name: 'Cancels', start: undefined, cancel: true }),
      aRule({ name: 'Group', groups: ['S01'], start: true }),
      aRule({ name: 'All' }),
    ];
    expect(rulingOn(aCase(rules), 'start')).toMatchObject({ value: true, rule: { name: 'Group' } });
    const others = rulingOn(aCase(rules, { inGroups: new Map([['S01', false]]) }), 'start');
    expect(others).toMatchObject({ value: false, rule: { name: 'All' } });
  });

  it('never as a yes while Slack does not say whether it is for the person', () => {
    const rules = [aRule({ groups: ['S09'], start: true })];
    const ruling = rulingOn(aCase(rules), 'start');
    expect(denyByRule(ruling, 'start runs', 'nothing was started')).toMatch(
      /^Slack didn't say if the rule "Some" applies to you, so nothing was started/,
    );
    const environments = [aRule({ groups: ['S09'], environments: ['web'] })];
    expect(allowsId(aCase(environments), 'environments', 'web')).toBe(false);
    expect(denyConfig(aCase(environments), { environment_id: 'web' })?.sentence).toMatch(/^Slack/);
  });
});

describe('a denial names who can change the rule', () => {
  const freeze = { ...aCase([aRule({ name: 'Freeze' })]) };
  const denied = (policy: PolicyCase, isAdmin: boolean) =>
    denyByRule(
      rulingOn(policyForActor(policy, { isAdmin }), 'start'),
      'starting runs',
      'nothing was started',
    );

  it('to admins, themselves', () => {
    expect(denied(freeze, true)).toBe(
      'The rule "Freeze" blocks starting runs. Change it in Workspace settings.',
    );
    const models = aCase([aRule({ start: undefined, models: ['big'] })]);
    expect(denyConfig(policyForActor(models, { isAdmin: true }), {})?.sentence).toBe(
      'The rule "Some" only allows the model "big". Choose it, or change the rule in Workspace settings.',
    );
  });

  it('to others, an admin, and to everyone the operator if a file has the rules', () => {
    expect(denied(freeze, false)).toBe(
      'The rule "Freeze" blocks starting runs. Ask a workspace admin to change it.',
    );
    const fromFile = { ...freeze, ask: "the app's operator", isFromFile: true };
    for (const isAdmin of [true, false])
      expect(denied(fromFile, isAdmin)).toBe(
        'The rule "Freeze" blocks starting runs. Ask the app\'s operator to change it.',
      );
  });
});

describe('a form opens', () => {
  it.each<[string, Rule[], boolean]>([
    ['without rules', [], true],
    ['if starts are rejected in some places only', [aRule({ channels: ['C01'] })], true],
    ['not if they are rejected everywhere', [aRule({})], false],
    ['if a place is left', [aRule({ channels: ['C02'], start: true }), aRule({})], true],
    ['not if the place is for others', [aRule({ groups: ['S02'], start: true }), aRule({})], false],
    ['if it may be for them', [aRule({ groups: ['S09'], start: true }), aRule({})], true],
    ['not if only others are rejected, then all', [aRule({ people: ['U02'] }), aRule({})], false],
    ['if only others are rejected', [aRule({ people: ['U02'] })], true],
  ])('%s', (_, rules, expected) => {
    expect(startsSomewhere(aCase(rules, { channelId: undefined }))).toBe(expected);
  });
});

describe('environments and models', () => {
  const rule = aRule({
    start: undefined,
    environments: ['web', 'docs'],
    models: ['default', 'big'],
  });
  const denial = (config: AgentConfig) => denyConfig(aCase([rule]), config);

  it('are those that the rule names', () => {
    expect(denial({ environment_id: 'web' })).toBeUndefined();
    expect(denial({ environment_id: 'docs', model_id: 'big' })).toBeUndefined();
    expect(denial({ environment_id: 'prod' })).toEqual({
      field: 'environment_id',
      sentence:
        'The rule "Some" only allows these environments: web, docs. Choose one of them, or ask a workspace admin to change the rule.',
    });
    expect(denial({ environment_id: 'web', model_id: 'huge' })).toEqual({
      field: 'model_id',
      sentence:
        'The rule "Some" only allows the model "big". Choose it or none, or ask a workspace admin to change the rule.',
    });
  });

  it('have to be chosen, unless the rule allows the default', () => {
    expect(denial({})?.field).toBe('environment_id');
    expect(denyConfig(aCase([aRule({ models: ['default'] })]), {})).toBeUndefined();
    const { sentence } =
      denyConfig(aCase([aRule({ models: ['default'] })]), { model_id: 'x' }) ?? {};
    expect(sentence).toContain('only allows the default model. Choose none, or ask');
  });

  it('are checked with the connection, of which default is the one without a name', () => {
    const only = (...connections: string[]) => aCase([aRule({ start: undefined, connections })]);
    expect(denyConfig(only('big'), { connection: 'big' })).toBeUndefined();
    expect(denyConfig(only('big'), { connection: 'other' })?.field).toBe('connection');
    expect(denyConfig(only('big'), {})?.sentence).toContain('only allows the connection "big"');
    expect(denyConfig(only('default'), {})).toBeUndefined();
    expect(denyConfig(only('default'), { connection: 'default' })).toBeUndefined();
    expect(denyConfig(only('default'), { connection: 'big' })?.sentence).toContain(
      'only allows the connection "default". Choose it, or ask',
    );
    expect(denyConfig(only('default', 'big'), { connection: 'other' })?.sentence).toContain(
      'only allows these connections: default, big. Choose one of them, or ask',
    );
  });

  it('are named in short', () => {
    const many = Array.from({ length: 30 }, (_, index) => `e${index}`);
    const { sentence = '' } = denyConfig(aCase([aRule({ environments: many })]), {}) ?? {};
    expect(sentence).toContain('e9 and 20 more.');
  });
});

it('lets people use MCP servers of the workspace, and no others', () => {
  const policy = aCase([aRule({ start: undefined, mcp_servers: false })]);
  const own = { docs: { url: 'https://docs.test' } };
  expect(denyServers(policy, undefined, own)).toBeUndefined();
  expect(denyServers(policy, own, own)).toBeUndefined();
  const changed = { docs: { url: 'https://evil.test' } };
  expect(denyServers(policy, changed, own)).toMatchObject({ field: 'mcp_servers' });
  expect(denyServers(policy, { other: own.docs }, own)?.sentence).toBe(
    `The rule "Some" blocks adding MCP servers. Ask a workspace admin to change it.`,
  );
});

it('names the people and groups that may answer here', () => {
  const rules = [
    aRule({ people: ['U02'], answer: true }),
    aRule({ groups: ['S02'], channels: ['C02'], answer: true }),
    aRule({ groups: ['S02'], channels: ['C01'], answer: true }),
    aRule({ people: ['U03'], answer: false }),
  ];
  expect(namedFor(aCase(rules), 'answer')).toEqual(['<@U02>', '<!subteam^S02>']);
});

describe('rules as they are written', () => {
  it.each<[string, object, RegExp]>([
    ['with markup in the name', { name: '<!channel>', start: false }, /must be a name/],
    ['with a name that is too long', { name: 'x'.repeat(61), start: false }, /must be a name/],
    ['that say nothing', { name: 'a', people: ['U01'] }, /sets nothing/],
    ['with an unknown key', { name: 'a', strat: false }, /strat/],
    ['with a name of a person', { name: 'a', people: ['@ada'], start: true }, /ID of a person/],
    ['for nobody', { name: 'a', people: [], start: true }, /at least one/],
    ['with a channel name', { name: 'a', channels: ['#x'], start: true }, /ID of a channel/],
    ['with markup in an environment', { name: 'a', environments: ['<b>'] }, /must be an ID/],
    ['with no runs at all', { name: 'a', active_runs: 0 }, /1 or more/],
  ])('are rejected %s', (_, rule, says) => {
    expect(JSON.stringify(ruleSchema.safeParse(rule).error?.issues)).toMatch(says);
  });

  it('have different names', () => {
    const two = [closedRule('Same'), closedRule('same')];
    expect(rulesSchema.safeParse(two).error?.issues).toMatchObject([{ path: [1] }]);
  });
});
