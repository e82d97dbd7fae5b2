import { expect, it } from 'vitest';
import { closedRule } from '../../../src/policy/policy.ts';
import { placeAfter } from '../../../src/slack/policy/write-rules.ts';

const stored = (name: string, order: number) => ({ key: name, order, rule: closedRule(name) });

it('places a rule between others, but never before one that cannot be read', () => {
  const unread = stored('Unread', Number.NEGATIVE_INFINITY);
  const rules = [unread, stored('A', 0), stored('B', 1)];
  expect(placeAfter(rules, { after: undefined }, undefined)).toBe(-1);
  expect(placeAfter(rules, { after: 'A' }, undefined)).toBe(0.5);
  expect(placeAfter(rules, { after: 'B' }, undefined)).toBe(2);
  expect(placeAfter(rules, { after: 'Unread' }, undefined)).toBe(-1);
  expect(placeAfter([unread], { after: undefined }, undefined)).toBe(0);
});
