import { describe, expect, it } from 'vitest';
import { amountText, capText, readCap } from '../../src/policy/cap-text.ts';
import { type Rule, ruleSchema } from '../../src/policy/policy.ts';
import { ruleLimits } from '../../src/policy/rule-caps.ts';
import type { PolicyCase, PolicyFacts } from '../../src/policy/ruling.ts';

const here: PolicyFacts = {
  userId: 'U01',
  channelId: 'C01',
  conversation: 'public',
  inGroups: new Map([
    ['S01', true],
    ['S02', false],
    ['S03', true],
  ]),
};
const aCase = (rules: Rule[], facts: Partial<PolicyFacts> = {}): PolicyCase => ({
  rules,
  ask: 'a workspace admin',
  facts: { ...here, ...facts },
});
const limitsOf = (rules: Rule[], modelId?: string, facts: Partial<PolicyFacts> = {}) => {
  const { unchecked, limits } = ruleLimits(aCase(rules, facts), modelId);
  return unchecked ? 'unchecked' : limits;
};

describe('the text of a cap', () => {
  it.each([
    ['$50 per week', { usd: 50, per: 'week' }],
    ['20 per day', { usd: 20, per: 'day' }],
    [' $1,500.50 PER Month ', { usd: 1500.5, per: 'month' }],
    ['1000000 per month', { usd: 1_000_000, per: 'month' }],
    ['0.01 per day', { usd: 0.01, per: 'day' }],
  ])('%j is an amount and a period', (text, cap) => {
    expect(readCap(text)).toEqual(cap);
  });

  it.each([
    '',
    '50',
    '$50',
    '0 per day',
    '-5 per day',
    '50 per year',
    '50 per run',
    '5.001 per day',
    '1e3 per day',
    '1000001 per day',
    '€50 per day',
    '50 per week per day',
    'NaN per day',
  ])('%j is none', (text) => {
    expect(readCap(text)).toBeUndefined();
  });

  it('has cents only if the amount has some', () => {
    expect([capText({ usd: 1500, per: 'week' }), amountText(2.5), amountText(0.01)]).toEqual([
      '$1,500 per week',
      '$2.50',
      '$0.01',
    ]);
  });
});

describe('rules with caps', () => {
  it.each([
    [{ run_cap: 0 }, /amount in dollars/],
    [{ run_cap: '$5' }, /amount in dollars/],
    [{ run_cap: 1_000_001 }, /1,000,000 or less/],
    [{ person_cap: '$5' }, /amount and a period/],
    [{ group_cap: '$5 per day' }, /needs user groups/],
    [{ workspace_cap: '$5 per day', time_zone: 'Mars/Base' }, /time zone/],
    [{ time_zone: 'Europe/Berlin' }, /sets nothing/],
  ])('are rejected with a mistake: %j', (rule, says) => {
    expect(JSON.stringify(ruleSchema.safeParse({ name: 'a', ...rule }).error?.issues)).toMatch(
      says,
    );
  });

  it('give a run each cap of the first matching rule that sets it, with its time zone', () => {
    const rules: Rule[] = [
      { name: 'Others', people: ['U09'], run_cap: 1 },
      { name: 'Group', groups: ['S01', 'S02', 'S03'], group_cap: '$300 per week', run_cap: 8 },
      {
        name: 'All',
        run_cap: 5,
        person_cap: '20 per day',
        workspace_cap: '$1,000 per month',
        time_zone: 'Europe/Berlin',
      },
    ];
    const berlin = { time_zone: 'Europe/Berlin' };
    expect(limitsOf(rules)).toEqual({
      models: undefined,
      caps: [
        { scope: 'run', usd: 8, per: 'run' },
        { scope: 'person', usd: 20, per: 'day', ...berlin },
        { scope: 'group', usd: 300, per: 'week', group: 'S01' },
        { scope: 'group', usd: 300, per: 'week', group: 'S03' },
        { scope: 'workspace', usd: 1000, per: 'month', ...berlin },
      ],
    });
    const workflow = limitsOf(rules, undefined, { userId: undefined });
    expect(workflow).toMatchObject({ caps: [{ usd: 5 }, { scope: 'person' }, {}] });
  });

  it("don't let a run start while Slack doesn't say if a cap or a group counts", () => {
    const unknown = { inGroups: new Map([['S01', true]]) };
    const cap: Rule = { name: 'Cap', groups: ['S04'], run_cap: 5 };
    expect(limitsOf([cap], undefined, unknown)).toBe('unchecked');
    const kind: Rule = { name: 'Kind', conversations: ['private'], channel_cap: '5 per day' };
    expect(limitsOf([kind], undefined, { conversation: undefined })).toBe('unchecked');
    const group: Rule = { name: 'Group', groups: ['S01', 'S04'], group_cap: '5 per day' };
    expect(limitsOf([group], undefined, unknown)).toBe('unchecked');
    const named = { ...group, people: ['U01'] };
    expect(limitsOf([named], undefined, unknown)).toBe('unchecked');
    expect(limitsOf([named], undefined, { ...unknown, userId: undefined })).toEqual({ caps: [] });
  });
});

describe('the models of a run', () => {
  const rules: Rule[] = [{ name: 'Models', models: ['default', 'big', 'small'] }];

  it('are those of the rule, if one was chosen', () => {
    expect(limitsOf(rules, 'big')).toEqual({ models: ['big', 'small'], caps: [] });
    expect(limitsOf([{ name: 'No default', models: ['big'] }])).toMatchObject({ models: ['big'] });
  });

  it('are not restricted for the default model, or without a rule', () => {
    expect(limitsOf(rules)).toEqual({ caps: [] });
    expect(limitsOf([], 'big')).toEqual({ caps: [] });
    const unknown: Rule[] = [{ name: 'Group', groups: ['S04'], models: ['big'] }];
    expect(limitsOf(unknown, 'big')).toBe('unchecked');
  });
});
