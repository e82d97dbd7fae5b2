import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/policy/policy.ts';
import { readStoredRules, withoutPerson } from '../../../src/policy/stored-rules.ts';
import { changeRules, versionOf, writeRules } from '../../../src/slack/policy/write-rules.ts';
import { createAudit } from '../../../src/store/audit/audit.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const rule = (name: string, more: Partial<Rule> = {}): Rule => ({ name, start: true, ...more });
const newer = { name: 'Newer', moon: 'full' };
const stored = readStoredRules([rule('A'), newer, rule('B')]);
const seen = versionOf(stored);
const namesOf = (changed: ReturnType<typeof changeRules>) =>
  'next' in changed ? (changed.next.value as Rule[]).map(({ name }) => name) : changed;

describe('a change of the rules', () => {
  it.each([
    ['first', { was: undefined, rule: rule('C') }, ['C', 'A', 'Newer', 'B']],
    ['below another', { was: undefined, rule: rule('C'), after: 'B' }, ['A', 'Newer', 'B', 'C']],
    ['elsewhere', { was: 'A', rule: rule('A'), after: 'B' }, ['Newer', 'B', 'A']],
    ['with another name', { was: 'B', rule: rule('C'), after: 'A' }, ['A', 'C', 'Newer']],
    ['nowhere', { was: 'A' }, ['Newer', 'B']],
  ])('puts a rule %s', (_, change, names) => {
    expect(namesOf(changeRules(stored, { seen, ...change }))).toEqual(names);
  });

  it('is not made on rules that someone changed since', () => {
    const change = { seen: versionOf([]), was: 'A', rule: rule('A', { start: false }) };
    expect(changeRules(stored, change)).toEqual({ outcome: 'outdated', now: stored });
  });

  it('that is made already is no conflict', () => {
    for (const change of [{ was: undefined, rule: rule('A') }, { was: 'gone' }])
      expect(changeRules(stored, { seen: 'of before', ...change })).toEqual({ outcome: 'written' });
  });

  it.each([
    ['name', { was: 'B', rule: rule('a') }],
    ['after', { was: 'B', rule: rule('B'), after: 'gone' }],
  ])('needs another %s if that is taken or gone', (field, change) => {
    expect(changeRules(stored, { seen, ...change })).toMatchObject({ outcome: 'rejected', field });
  });
});

describe('a deleted person', () => {
  const people = ['U01', 'U02'];
  it.each([
    ['is taken out of rules with others', rule('A', { people }), [rule('A', { people: ['U02'] })]],
    [
      'leaves the groups of a rule',
      rule('A', { people: ['U01'], groups: ['S01'] }),
      [rule('A', { groups: ['S01'] })],
    ],
    ['takes a rule along that is for nobody else', rule('A', { people: ['U01'] }), []],
    ['changes no rule of another version', newer, [newer]],
    ['changes no rule of others', rule('A', { people: ['U02'] }), [rule('A', { people: ['U02'] })]],
  ])('%s', (_, before, after) => {
    expect(withoutPerson([before], 'U01')).toEqual(after);
  });
});

describeOnDatabase('rules that are written at once', (database) => {
  const admin = { teamId: 'T1', userId: 'UADMIN' };

  it('are written by one, and shown to the other; the audit log has what changed', async () => {
    const settings = createSettings(database());
    const none = versionOf([]);
    const both = await Promise.all(
      ['A', 'B'].map((name) =>
        writeRules(settings, admin, { seen: none, was: undefined, rule: rule(name) }),
      ),
    );
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['outdated', 'written']);
    const outdated = both.find((each) => each.outcome === 'outdated');
    const now = outdated && 'now' in outdated ? outdated.now : [];
    const [first] = now.map((each) => each.rule);
    expect(now).toHaveLength(1);
    const was = first?.name;
    const renamed = rule('C', { start: false });
    await writeRules(settings, admin, { seen: versionOf(now), was, rule: renamed });
    const audit = createAudit(database());
    const [last] = await audit.list({ teamId: 'T1', action: 'rule_changed' }, 10);
    expect(last?.entity).toEqual({ type: 'rule', id: was });
    expect(last?.details).toEqual({
      place: 1,
      before: JSON.stringify(first),
      after: JSON.stringify(renamed),
    });
    expect(await audit.list({ teamId: 'T1', action: 'rule_added' }, 10)).toHaveLength(1);
  });
});
