import { describe, expect, it } from 'vitest';
import { validateView } from '../../src/block-kit/validate-view.ts';
import { hasSharedData, readSharedJson, whySkipped } from '../support/shared-data.ts';
import * as a from './fragments.ts';

const modal = (part: object) => ({ ...a.aModal, ...part });
const withBlocks = (...blocks: unknown[]) => modal({ blocks });
const withElement = (element: object) => withBlocks({ ...a.anInput, element });
const { submit: _, ...silentModal } = a.aModal;
const focused = { ...a.anInput, element: { type: 'plain_text_input', focus_on_load: true } };
const select = { type: 'static_select', options: a.options(2) };
const groups = [{ label: a.plain(), options: a.options(2) }];
const big = Array.from({ length: 100 }, () => ({
  type: 'section',
  text: a.plain('x'.repeat(2600)),
}));

/** Rejected views. Pointers without a slash at the front are in the first block. */
const rejected: [name: string, view: unknown, pointer: string][] = [
  ['another type', { ...a.aModal, type: 'workflow_step' }, '/view/type'],
  ['no type', { blocks: [] }, '/view'],
  ['a list for the view', [], '/view'],
  ['a title missing', { type: 'modal', blocks: [a.aSection] }, '/view'],
  ['a field of the answer sent back', modal({ hash: '1.a' }), '/view'],
  ['a title in the Home tab', { ...a.aHome, title: a.plain() }, '/view'],
  ['mrkdwn in the title', modal({ title: a.mrkdwn() }), '/view/title/type'],
  ['an empty submit', modal({ submit: a.plain('') }), '/view/submit/text'],
  ['an external_id beyond 255', modal({ external_id: 'x'.repeat(256) }), '/view/external_id'],
  [
    'an input and no submit',
    { ...silentModal, blocks: [a.aSection, a.anInput] },
    '/view/blocks/1/input',
  ],
  ['a markdown block', withBlocks({ type: 'markdown', text: 'x' }), '/view/blocks/0/type'],
  ['a table', withBlocks({ type: 'table', rows: [[a.cell()]] }), '/view/blocks/0/type'],
  ['a card in a modal', withBlocks(a.aCard), '/view/blocks/0/type'],
  [
    'an alert in the Home tab',
    { ...a.aHome, blocks: [{ type: 'alert', text: a.plain() }] },
    '/view/blocks/0/type',
  ],
  [
    'a file input in the Home tab',
    { ...a.aHome, blocks: [{ ...a.anInput, element: { type: 'file_input' } }] },
    'element/type',
  ],
  [
    'a text input among actions',
    withBlocks({ type: 'actions', elements: [a.anInput.element] }),
    'elements/0/type',
  ],
  [
    'two elements that want the focus',
    withBlocks(focused, focused),
    '/view/blocks/1/element/focus_on_load',
  ],
  [
    'an unknown style',
    withBlocks({ type: 'actions', elements: [{ ...a.aButton, style: 'default' }] }),
    'elements/0/style',
  ],
];

/** Elements of an input with one mistake each, and the path to it. */
const wrongElements: [at: string, element: object][] = [
  ['initial_option', { ...select, initial_option: null }],
  ['initial_option', { ...select, initial_option: a.option('other') }],
  ['initial_option', { ...select, initial_option: { ...a.option('v0'), text: a.plain('y') } }],
  [
    'initial_option',
    { type: 'static_select', option_groups: groups, initial_option: a.option('other') },
  ],
  [
    'initial_options',
    { type: 'checkboxes', options: a.options(2), initial_options: [a.option('v0'), a.option('w')] },
  ],
  ['initial_options', { type: 'checkboxes', options: a.options(2), initial_options: [] }],
  ['options', { type: 'static_select', options: [] }],
  ['options/0/value', { type: 'static_select', options: [a.option('')] }],
  [
    'options/0/text/type',
    { type: 'static_select', options: [{ ...a.option(), text: a.mrkdwn() }] },
  ],
  [
    'options/0',
    { type: 'static_select', options: [{ ...a.option(), url: 'https://example.com' }] },
  ],
  ['initial_date', { type: 'datepicker', initial_date: '2026-02-30' }],
  ['initial_time', { type: 'timepicker', initial_time: '24:00' }],
  ['initial_date_time', { type: 'datetimepicker', initial_date_time: 1_628_633_830_000 }],
  ['initial_value', { type: 'plain_text_input', max_length: 3, initial_value: '😀😀😀😀' }],
  ['initial_value', { type: 'plain_text_input', initial_value: 'x'.repeat(3001) }],
  ['min_length', { type: 'plain_text_input', min_length: 5, max_length: 4 }],
  ['initial_value', { type: 'number_input', is_decimal_allowed: true, initial_value: 5 }],
  ['filter', { type: 'conversations_select', filter: {} }],
];

const taken: [name: string, view: unknown][] = [
  ['a modal as JSON text', JSON.stringify(a.aModal)],
  ['a modal without submit that asks nothing', silentModal],
  ['an input in the Home tab, which has no submit', { ...a.aHome, blocks: [a.anInput] }],
  ['a file input', withElement({ type: 'file_input', max_files: 1 })],
  [
    'an initial option from a group',
    withElement({ type: 'static_select', option_groups: groups, initial_option: a.option('v1') }),
  ],
  [
    'an initial value of 3,000 emoji',
    withElement({ type: 'plain_text_input', multiline: true, initial_value: '😀'.repeat(3000) }),
  ],
  ['a leap day', withElement({ type: 'datepicker', initial_date: '2028-02-29' })],
  ['100 blocks', { ...a.aHome, blocks: a.times(100, a.aSection) }],
];

describe('a view', () => {
  it.each(rejected)('is rejected with %s', (_name, view, pointer) => {
    const problems = validateView(view);
    expect(new Set(problems.map(({ error }) => error))).toEqual(new Set(['invalid_arguments']));
    expect(problems[0]?.message).toBe(
      '[ERROR] failed to match all allowed schemas [json-pointer:/view]',
    );
    const whole = pointer.startsWith('/') ? pointer : `/view/blocks/0/${pointer}`;
    expect(problems.slice(1).map((each) => each.pointer)).toEqual([whole]);
  });

  it.each(wrongElements)('is rejected for what is at %s of %j', (at, element) => {
    const [, ...problems] = validateView(withElement(element));
    expect(problems.map(({ pointer }) => pointer)).toEqual([`/view/blocks/0/element/${at}`]);
  });

  it.each(taken)('is accepted: %s', (_name, view) => {
    expect(validateView(view)).toEqual([]);
  });

  it('is rejected if the method needs another type', () => {
    expect(validateView(a.aHome, { types: ['home'] })).toEqual([]);
    expect(validateView(a.aHome, { types: ['modal'] }).map(({ message }) => message)).toEqual([
      '[ERROR] failed to match all allowed schemas [json-pointer:/view]',
      '[ERROR] unsupported type: home [json-pointer:/view/type]',
    ]);
  });

  it('of more than 250 KB is too large', () => {
    expect(validateView({ ...a.aHome, blocks: big }).map(({ error }) => error)).toEqual([
      'view_too_large',
    ]);
    expect(validateView({ ...a.aHome, blocks: big.slice(0, 80) })).toEqual([]);
  });

  const skipNote = hasSharedData ? '' : ` (${whySkipped})`;
  it.skipIf(!hasSharedData)(`is rejected as slack.com rejects it${skipNote}`, () => {
    const [recorded] = readSharedJson('slack/recorded/views_open_error.json') as [
      { response: { body: { error: string; response_metadata: { messages: string[] } } } },
    ];
    const problems = validateView('{}');
    expect(problems.map(({ message }) => message)).toEqual(
      recorded.response.body.response_metadata.messages,
    );
    expect(problems[0]?.error).toBe(recorded.response.body.error);
  });
});
