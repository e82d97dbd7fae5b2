import { expect, it } from 'vitest';
import {
  isKnownWord,
  statesNamed,
  typedStates,
} from '../../../src/slack/agent-command/state-words.ts';

it.each([
  ['FAILED', ['FAILED', 'ERROR']],
  ['ERROR', ['ERROR']],
  ['CANCELED', ['CANCELED', 'CANCELLED']],
  ['CANCELLED', ['CANCELLED']],
  ['STARTING', ['STARTING', 'PENDING', 'CLAIMED']],
  ['IN-PROGRESS', ['IN_PROGRESS', 'INPROGRESS']],
  ['NEEDS_INPUT', ['NEEDS_INPUT', 'BLOCKED']],
  ['NOT-STARTED', ['NOT_STARTED']],
])('%s stands for %j', (typed, states) => {
  expect(statesNamed(typed)).toEqual(states);
  expect(isKnownWord(typed)).toBe(true);
});

it('a state of a service of its own is looked up by its name', () => {
  expect(statesNamed('PARKED')).toEqual(['PARKED']);
  expect(isKnownWord('PARKED')).toBe(false);
});

it('people choose from the words that they read in Slack', () => {
  expect(typedStates.join(' ')).toBe(
    'queued starting in_progress needs_input succeeded failed canceled not_started',
  );
});
