import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/block-kit/checks/findings.ts';
import { validateMessage } from '../../src/block-kit/validate-message.ts';
import { validateView } from '../../src/block-kit/validate-view.ts';
import { answerBlocksValidate } from '../../src/methods/blocks-validate.ts';
import * as a from './fragments.ts';
import { listPlaces, replaceAt } from './places.ts';

const deepJson = (depth: number, open: string, close: string) =>
  open.repeat(depth) + close.repeat(depth);
const deepArray: unknown = JSON.parse(deepJson(10_000, '[', ']'));
const deepObject: unknown = JSON.parse(`${'{"elements":'.repeat(10_000)}0${'}'.repeat(10_000)}`);
const deepBlock = (open: string) =>
  JSON.parse(`${open.repeat(10_000)}{"type":"divider"}${']}'.repeat(10_000)}`) as unknown;
const container = '{"type":"container","child_blocks":[';
const richText = '{"type":"rich_text","elements":[';
const megabyte = 'x'.repeat(1_000_000);
const manyKeys = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]));
const ownPrototype: unknown = JSON.parse(
  '{"type":"divider","__proto__":{"type":"section"},"constructor":1,"hasOwnProperty":null}',
);

const checks: Record<string, (value: unknown) => Problem[]> = {
  'as a message': (value) =>
    validateMessage(typeof value === 'object' && value !== null ? value : {}, {
      method: 'chat.postMessage',
    }),
  'as its blocks': (blocks) => validateMessage({ text: 'x', blocks }, { method: 'chat.update' }),
  'as a block': (block) =>
    validateMessage({ text: 'x', blocks: [block] }, { method: 'response_url' }),
  'as its attachments': (attachments) =>
    validateMessage({ text: 'x', attachments }, { method: 'chat.postEphemeral' }),
  'as its metadata': (metadata) =>
    validateMessage({ text: 'x', metadata }, { method: 'chat.postMessage' }),
  'as a view': validateView,
  'as the blocks of a view': (blocks) => validateView({ ...a.aModal, blocks }),
  'as a text': (text) => validateView({ ...a.aModal, title: { type: 'plain_text', text } }),
  'as an element': (element) => validateView({ ...a.aModal, blocks: [{ ...a.anInput, element }] }),
};

const rubbish: [name: string, value: unknown][] = [
  ['null', null],
  ['a hole', undefined],
  ['true', true],
  ['zero', 0],
  ['a number that JSON does not know', Number.NaN],
  ['an empty text', ''],
  ['half of an emoji', '\ud83d'],
  ['a megabyte of text', megabyte],
  ['a megabyte of JSON that is cut off', `[${megabyte}`],
  ['an empty object', {}],
  ['an empty list', []],
  ['a list of nulls', [null, null]],
  ['an object without a prototype', Object.create(null)],
  ['own keys named as those of the prototype', ownPrototype],
  ['a type named as a key of the prototype', { type: 'constructor' }],
  ['a type that is a list', { type: ['section'] }],
  ['lists in lists, 10,000 deep', deepArray],
  ['objects in objects, 10,000 deep', deepObject],
  ['the same as text', deepJson(10_000, '[', ']')],
  ['containers in containers, 10,000 deep', deepBlock(container)],
  ['rich text in rich text, 10,000 deep', deepBlock(richText)],
  ['a list of ten thousand blocks', a.times(10_000, a.aSection)],
  ['a list of ten thousand nulls', a.times(10_000, null)],
  ['ten thousand unknown keys', manyKeys],
  ['a block with a megabyte of text', { type: 'section', text: a.mrkdwn(megabyte) }],
  ['a block with an unknown key of a megabyte', { type: 'divider', [megabyte]: 1 }],
  ['a type of a megabyte', { type: megabyte }],
  ['fields that are one object', { type: 'section', fields: a.mrkdwn() }],
  ['elements that are an object with a length', { type: 'actions', elements: { length: 1e9 } }],
  ['a text where a text object belongs', { type: 'section', text: 'x' }],
  ['a list where a text object belongs', { type: 'section', text: [a.mrkdwn()] }],
];

/** Checks that problems are few, short and in Slack's format. */
function expectProblems(problems: Problem[]) {
  expect(problems.length).toBeLessThanOrEqual(100);
  for (const { error, message } of problems) {
    expect(error).toMatch(/^[a-z_]+$/);
    expect(message).toMatch(/^\[ERROR\] .+ \[json-pointer:(\/.*)?\]$/s);
    expect(message.length).toBeLessThan(1000);
  }
}

describe.each(Object.entries(checks))('rubbish %s', (_, check) => {
  it('is rejected without an exception', () => {
    for (const [name, value] of rubbish)
      expect(() => expectProblems(check(value)), name).not.toThrow();
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => expectProblems(check(value))));
  });
});

const rightBlocks = [
  a.aSection,
  a.anInput,
  a.aContainer,
  a.aCard,
  a.aVideo,
  a.anImage,
  a.aDataTable,
  a.chart(a.aLineChart),
  { type: 'actions', elements: [{ ...a.aButton, action_id: 'b', confirm: a.aConfirmation }] },
  { type: 'context', elements: [a.mrkdwn(), a.anImage] },
  { type: 'plan', title: 'x', tasks: [a.aTask] },
  {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x' }] }],
  },
];

const places = listPlaces(rightBlocks).filter((path) => path.length > 0);

describe('a valid message with one part replaced by rubbish', () => {
  const spoilt = fc
    .record({ path: fc.constantFrom(...places), by: fc.jsonValue({ maxDepth: 3 }) })
    .map(({ path, by }) => replaceAt(rightBlocks, path, by));

  it('was valid before', () => {
    expect(validateMessage({ blocks: rightBlocks }, { method: 'chat.postMessage' })).toEqual([]);
  });

  it('is rejected with pointers to existing places, as an object and as form text', () => {
    const method = 'chat.postMessage';
    fc.assert(
      fc.property(spoilt, (blocks) => {
        const text = JSON.stringify(blocks);
        const problems = validateMessage({ blocks: JSON.parse(text) }, { method });
        expectProblems(problems);
        for (const { pointer } of problems) {
          const parent = pointer.split('/').slice(1, -1);
          expect(() => followPath({ blocks }, parent)).not.toThrow();
        }
        expect(validateMessage({ blocks: text }, { method })).toEqual(problems);
      }),
      { numRuns: 200 },
    );
  });
});

function followPath(value: unknown, path: string[]): unknown {
  return path.reduce((at, key) => {
    if (typeof at !== 'object' || at === null) throw new Error(`nothing at ${key}`);
    const step = key.replace(/~1/g, '/').replace(/~0/g, '~');
    if (!Object.hasOwn(at, step)) throw new Error(`no ${step}`);
    return (at as Record<string, unknown>)[step];
  }, value);
}

describe('blocks.validate', () => {
  it('never throws for any text', () => {
    const kind = fc.constantFrom('blocks', 'view', 'message');
    const text = fc.oneof(fc.string(), fc.json());
    fc.assert(
      fc.property(kind, text, (key, value) => {
        expect(typeof answerBlocksValidate({ [key]: value }).ok).toBe('boolean');
      }),
    );
  });
});
