import { describe, expect, it } from 'vitest';
import { fieldProblem, readFieldValue, valuesInWords } from '../src/question-fields.ts';

const options = ['a', 'b'].map((id) => ({ id, label: id.toUpperCase() }));
const field = (kind: string, more: object = {}) => ({ name: 'f', label: 'F', kind, ...more });

describe('what people enter in a field', () => {
  it.each<[string, object, string | string[], unknown]>([
    ['text', {}, ' some words ', 'some words'],
    ['text', {}, '  ', undefined],
    ['a kind of tomorrow', {}, 'x', 'x'],
    ['number', {}, '-0.5', -0.5],
    ['integer', {}, '2', 2],
    ['boolean', {}, 'false', false],
    ['boolean', {}, '', undefined],
    ['choice', { options }, 'a', 'a'],
    ['choices', { options }, ['b', 'a'], ['b', 'a']],
    ['choices', { options }, [], undefined],
  ])('is a value of its kind: %s %j', (kind, more, given, value) => {
    expect(readFieldValue(field(kind, more), given)).toEqual({ value });
  });

  it.each<[string, object, string | string[], string]>([
    ['text', { is_required: true }, ' ', 'Enter an answer.'],
    [
      'text',
      { minimum: 2, maximum: 3 },
      'four',
      'The number of characters must be at least 2, at most 3.',
    ],
    ['number', {}, 'many', 'Enter a number.'],
    ['number', {}, 'Infinity', 'Enter a number.'],
    ['integer', { minimum: 1 }, '0', 'Enter a whole number, at least 1.'],
    ['integer', {}, '1.5', 'Enter a whole number.'],
    ['choice', { options }, 'c', 'Choose one of the options.'],
    ['choice', {}, 'a', 'Choose one of the options.'],
    ['choices', { options }, ['a', 'a'], 'Choose some of the options.'],
    ['choices', { options, maximum: 1 }, ['a', 'b'], 'The number of options must be at most 1.'],
  ])('is rejected with a sentence: %s %j', (kind, more, given, problem) => {
    expect(readFieldValue(field(kind, more), given)).toEqual({ problem });
  });
});

it.each<[string, unknown]>([
  ['boolean', 'true'],
  ['integer', '3'],
  ['number', Number.NaN],
  ['text', 3],
  ['choices', 'a'],
  ['choice', ['a']],
])('a value of another type is rejected: %s %j', (kind, value) => {
  expect(fieldProblem(field(kind, { options }), value)).toBeDefined();
});

it('values are shown in words, in the order of the fields', () => {
  const fields = [field('choices', { options }), { ...field('boolean'), name: 'g', label: 'G' }];
  expect(valuesInWords(fields, { g: true, f: ['a', 'b'] })).toBe('F: A, B · G: Yes');
  expect(valuesInWords(fields, {})).toBe('nothing entered');
});
