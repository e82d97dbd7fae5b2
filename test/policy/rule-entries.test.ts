import { expect, it } from 'vitest';
import { ruleEntries, ruleEntriesWithout, withoutPerson } from '../../src/policy/stored-rules.ts';

/** Creates a rule with its fields in the order of the schema. */
const rule = (name: string, { people, ...more }: { people?: string[]; merge?: true } = {}) => ({
  name,
  ...(people && { people }),
  start: true,
  ...more,
});

const shortOf = (was: unknown, is: unknown) =>
  ruleEntries(was, is, 'POLICY_FILE').map(({ action, entity, details }) => {
    const { place = '-' } = details;
    return `${action} ${entity.id} ${place}`;
  });

it('says which rules were added, changed, moved and removed, with the rule before and after', () => {
  const [a, b, c] = [rule('A'), rule('B'), rule('C')];
  expect(shortOf(undefined, [a, b])).toEqual(['rule_added A 1', 'rule_added B 2']);
  expect(shortOf([a, b], [a, b])).toEqual([]);
  expect(shortOf([a, b, c], [b, c])).toEqual(['rule_removed A -']);
  expect(shortOf([a, b], [b, a])).toEqual(['rule_changed A 2', 'rule_changed B 1']);
  expect(shortOf([a, b], [c, a, rule('B', { merge: true })])).toEqual([
    'rule_changed B 3',
    'rule_added C 1',
  ]);
  const [entry] = ruleEntries([a], [rule('A', { merge: true })], 'POLICY_FILE');
  expect(entry?.details).toEqual({
    source: 'POLICY_FILE',
    place: 1,
    before: '{"name":"A","start":true}',
    after: '{"name":"A","start":true,"merge":true}',
  });
});

it('skips what this version cannot read, such as the mark of an earlier one', () => {
  expect(shortOf('a fingerprint', [{ name: 'Newer', moon: 'full' }])).toEqual([]);
});

it('says from which rules a deleted person was taken out, without their id', () => {
  const people = ['U01', 'U02'];
  const shown = (ids: string[], name = 'Both') => JSON.stringify(rule(name, { people: ids }));
  const rules = [rule('Alone', { people: ['U01'] }), rule('Both', { people }), rule('All')];
  const entries = ruleEntriesWithout('U01', rules, withoutPerson(rules, 'U01'));
  expect(entries.map(({ action, entity, details }) => [action, entity.id, details])).toEqual([
    ['rule_removed', 'Alone', { source: 'people delete', before: shown(['deleted'], 'Alone') }],
    [
      ...['rule_changed', 'Both'],
      {
        source: 'people delete',
        place: 1,
        before: shown(['deleted', 'U02']),
        after: shown(['U02']),
      },
    ],
  ]);
});
