import { expect, it } from 'vitest';
import {
  assertTransition,
  canTransition,
  isRequestStep,
  requestSteps,
} from '../../src/requests/steps.ts';

it.each([
  ['accepted', 'posted ended'],
  ['posted', 'following ended not_started'],
  ['following', 'following ended'],
  ['ended', 'following'],
  ['not_started', 'posted'],
] as const)('from %s a request goes to: %s', (from, to) => {
  expect(requestSteps.filter((step) => canTransition(from, step)).toSorted()).toEqual(
    to.split(' ').filter(Boolean).toSorted(),
  );
});

it('rejects an impossible move', () => {
  expect(() => assertTransition('ended', 'posted')).toThrow('does not go from ended to posted');
});

it.each(['paused', '', 'constructor', 'toString'])('does not know the step %j', (step) => {
  expect(isRequestStep(step)).toBe(false);
});
