import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonMistake } from '../../../src/slack/text/json-mistake.ts';

/** `▸` marks the place. */
const cases: [marked: string, problem: string][] = [
  ['▸', 'expected a value, but the text ends'],
  ['{"docs": ▸oops}', 'expected a value'],
  ['{"docs": ▸', 'expected a value, but the text ends'],
  ['{"a": 1,\n "b": ▸tru}', 'expected a value'],
  ['{▸docs: 1}', 'expected a name in straight quotes'],
  ['{▸“docs”: 1}', 'expected a name in straight quotes'],
  ['{"docs": 1, ▸}', 'expected a name in straight quotes'],
  ['{"docs" ▸1}', 'expected a colon'],
  ['[1, 2▸', 'expected a comma or ], but the text ends'],
  ['{"a": 1 ▸"b": 2}', 'expected a comma or }'],
  ['{"a": ▸"never closed}', 'this text has no closing quote'],
  ['{"a": ▸"one\ntwo"}', 'this text has no closing quote'],
  ['{"a": "tab▸\there"}', 'this character must be written as \\u…'],
  ['{"a": "C:▸\\path"}', 'this backslash must be written as \\\\'],
  ['{"a": 1}▸}', 'unexpected text after the end'],
  ['{"a": 0▸1}', 'expected a comma or }'],
  ['{"a": 1, ▸"a": 2}', 'the name "a" appears twice'],
];

describe("the mistake in a text that isn't JSON", () => {
  it.each(cases)('%s', (marked, problem) => {
    const at = marked.indexOf('▸');
    expect(findJsonMistake(marked.replace('▸', ''))).toEqual({ at, problem });
  });

  it('is undefined for valid JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(findJsonMistake(text)).toBeUndefined();
      }),
    );
  });

  it('is found in every text that a parser rejects', () => {
    const signs = fc.constantFrom(...'{}[]",:\\ \n\t1-.eE"truefalsn\u0000é');
    const texts = fc.array(signs, { maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        if (findJsonMistake(text) === undefined) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: 3_000 },
    );
  });

  it('is found in a long text of brackets', () => {
    expect(findJsonMistake('['.repeat(3_000))).toMatchObject({ at: 3_000 });
  });
});
