import { describe, expect, it } from 'vitest';
import { filterSchema } from '../../src/automations/automation.ts';
import { filterText, matches, readFilter } from '../../src/automations/filter.ts';
import { matchesGlob } from '../../src/automations/glob.ts';
import { valuesAt } from '../../src/automations/payload-values.ts';

function passes(text: string, payload: unknown): boolean {
  const filter = readFilter(text);
  if ('problem' in filter) throw new Error(filter.problem);
  return matches(filter, payload);
}

const payload = JSON.parse(`{
  "action": "labeled", "number": 7, "draft": false, "nothing": null,
  "issue": { "title": "Crash in *checkout*", "labels": [{ "name": "bug" }, { "name": "p1" }] },
  "branch": "main", "repository": { "default_branch": "main" },
  "__proto__": { "polluted": "yes" }
}`);

describe('filters', () => {
  it('reads lines that must all hold, and alternatives', () => {
    expect(
      readFilter(
        'action equals labeled\n\nissue.title contains crash\nor issue.title Matches Fix*',
      ),
    ).toEqual([
      [{ field: 'action', is: 'equals', text: 'labeled' }],
      [
        { field: 'issue.title', is: 'contains', text: 'crash' },
        { field: 'issue.title', is: 'matches', text: 'Fix*' },
      ],
    ]);
  });

  it.each([
    'a equals b\nc.d contains e f or g\nor h matches *i*',
    'issue.title contains "quoted" and more',
  ])('writes what it reads: %s', (text) => {
    const filter = readFilter(text);
    expect('problem' in filter ? filter : filterText(filter)).toBe(text);
  });

  it.each([
    ['action', /isn't a condition/],
    ['action is labeled', /isn't a condition/],
    ['action equals', /isn't a condition/],
    ['a..b equals c', /isn't a condition/],
    ['a equals b or c equals d', /two conditions/],
    [`${'x'.repeat(201)} equals a`, /isn't a condition/],
    [`a equals ${'x'.repeat(501)}`, /isn't a condition/],
    ['a equals b\n'.repeat(21), /at most 20 conditions/],
    ['a equals b\nor a equals c\n'.repeat(11), /at most 20 conditions/],
    [`a equals b${'\nor a equals b'.repeat(20)}`, /at most 20 conditions/],
  ])('explains why "%s" can\'t be read', (text, problem) => {
    expect(readFilter(text)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it.each([
    ['', true],
    ['action equals LABELED', true],
    ['payload.action equals labeled', true],
    ['action equals label', false],
    ['number equals 7', true],
    ['draft equals false', true],
    ['nothing equals null', false],
    ['issue equals [object Object]', false],
    ['issue.title contains CRASH', true],
    ['issue.title matches crash', false],
    ['issue.title matches crash*', true],
    ['issue.title matches *in*out*', true],
    ['issue.labels.name equals p1', true],
    ['issue.labels.1.name equals p1', true],
    ['issue.labels.0.name equals p1', false],
    ['issue.labels.length equals 2', false],
    ['missing.field contains a', false],
    ['toString.name contains toString', false],
    ['constructor.name equals Object', false],
    ['action equals closed\nor issue.labels.name equals bug', true],
    ['action equals closed\nissue.labels.name equals bug', false],
    ['branch equals {{ payload.repository.default_branch }}', true],
    ['action equals {{ payload.repository.default_branch }}', false],
    ['missing equals {{ payload.missing }}', false],
  ])('passes a payload through "%s": %s', (text, expected) => {
    expect(passes(text, payload)).toBe(expected);
  });

  it('compares values as they are, however long, with secrets and line ends', () => {
    const key = `ghp_${'a'.repeat(36)}`;
    for (const value of [key, 'x'.repeat(600), 'two\nlines']) {
      expect(passes('a equals {{ payload.b }}', { a: value, b: value })).toBe(true);
      expect(passes('a equals {{ payload.b }}', { a: value, b: `${value}.` })).toBe(false);
    }
    expect(passes('a equals refs/{{ payload.b }}', { a: 'refs/main', b: 'main' })).toBe(true);
  });

  it('are at most 20 conditions, also those of a definition that nobody typed', () => {
    const group = Array.from({ length: 10 }, () => ({ field: 'a', is: 'equals', text: 'b' }));
    expect(filterSchema.safeParse([group, group]).success).toBe(true);
    expect(filterSchema.safeParse([group, group, group.slice(0, 1)]).success).toBe(false);
  });

  it('read the first thousand entries of lists, and the beginning of long texts', () => {
    const items = Array.from({ length: 70_000 }, (_, n) => ({ a: n }));
    expect(valuesAt({ items }, 'items.a')).toHaveLength(1_000);
    expect(valuesAt({ lists: items.map(() => items) }, 'lists.a')).toEqual([]);
    expect(valuesAt({ groups: [{ items }, { items }] }, 'groups.items.a')).toHaveLength(999);
    expect(valuesAt({ items }, 'items.69999.a')).toEqual(['69999']);
    const long = Array.from({ length: 3 }, () => 'x'.repeat(60_000));
    expect(valuesAt({ long }, 'long').map((each) => each.length)).toEqual([60_000, 40_000]);
    let read = 0;
    const list = new Proxy(items, {
      get(target, name) {
        read += 1;
        return Reflect.get(target, name);
      },
    });
    valuesAt({ list }, 'list.missing');
    expect(read).toBeLessThan(5_000);
  });

  it.each([null, 5, 'text', [], [[['labeled']]]])('reads no field of %j', (odd) => {
    expect(passes('action contains e', odd)).toBe(false);
    expect(passes('', odd)).toBe(true);
  });
});

describe('patterns', () => {
  it.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['**', 'any\ntext', true],
    ['a*a', 'a', false],
    ['a*a', 'aba', true],
    ['ab*bc', 'abc', false],
    ['*.ts', 'glob.TS', true],
    ['.*', 'anything', false],
    ['(a+)+$', 'aaaa', false],
    ['a*b*c', 'a c b c', true],
    ['a*b*c', 'acb', false],
  ])('%j matches %j: %s', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });
});
