import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonMistake } from '../../../src/slack/text/json-mistake.ts';

/** The place is where `▸` stands. */
const cases: [marked: string, problem: string][] = [
  ['▸', 'a value is expected, but the text ends'],
  ['{"docs": ▸oops}', 'a value is expected'],
  ['{"docs": ▸', 'a value is expected, but the text ends'],
  ['{"a": 1,\n "b": ▸tru}', 'a value is expected'],
  ['{▸docs: 1}', 'a name in straight quotes is expected'],
  ['{▸“docs”: 1}', 'a name in straight quotes is expected'],
  ['{"docs": 1, ▸}', 'a name in straight quotes is expected'],
  ['{"docs" ▸1}', 'a colon is expected'],
  ['[1, 2▸', 'a comma or ] is expected, but the text ends'],
  ['{"a": 1 ▸"b": 2}', 'a comma or } is expected'],
  ['{"a": ▸"never closed}', 'this text is never closed'],
  ['{"a": ▸"one\ntwo"}', 'this text is never closed'],
  ['{"a": "tab▸\there"}', 'this character must be written as \\u…'],
  ['{"a": "C:▸\\path"}', 'this backslash means nothing: write \\\\'],
  ['{"a": 1}▸}', 'nothing may follow the end'],
  ['{"a": 0▸1}', 'a comma or } is expected'],
  ['{"a": 1, ▸"a": 2}', 'the name "a" is there twice'],
];

describe('what is said of a text that is no JSON', () => {
  it.each(cases)('%s', (marked, problem) => {
    const at = marked.indexOf('▸');
    expect(findJsonMistake(marked.replace('▸', ''))).toEqual({ at, problem });
  });

  it('is nothing for what a parser takes', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(findJsonMistake(text)).toBeUndefined();
      }),
    );
  });

  it('is something for whatever a parser refuses', () => {
    const signs = fc.constantFrom(...'{}[]",:\\ \n\t1-.eE"truefalsn\u0000é');
    const texts = fc.array(signs, { maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        if (findJsonMistake(text) === undefined) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: 3_000 },
    );
  });

  it('survives a text of nothing but brackets', () => {
    expect(findJsonMistake('['.repeat(3_000))).toMatchObject({ at: 3_000 });
  });
});
