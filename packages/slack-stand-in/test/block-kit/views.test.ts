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

/** Pointers without a slash at the front are in the first block. */
const refused: [name: string, view: unknown, pointer: string][] = [
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
    'null for an initial option',
    withElement({ ...select, initial_option: null }),
    'element/initial_option',
  ],
  [
    'an initial option that is not offered',
    withElement({ ...select, initial_option: a.option('other') }),
    'element/initial_option',
  ],
  [
    'an initial option with other words',
    withElement({ ...select, initial_option: { ...a.option('v0'), text: a.plain('y') } }),
    'element/initial_option',
  ],
  [
    'an initial option that no group offers',
    withElement({
      type: 'static_select',
      option_groups: groups,
      initial_option: a.option('other'),
    }),
    'element/initial_option',
  ],
  [
    'one of the initial options not offered',
    withElement({
      type: 'checkboxes',
      options: a.options(2),
      initial_options: [a.option('v0'), a.option('w')],
    }),
    'element/initial_options',
  ],
  [
    'an empty list of initial options',
    withElement({ type: 'checkboxes', options: a.options(2), initial_options: [] }),
    'element/initial_options',
  ],
  [
    'a select without options',
    withElement({ type: 'static_select', options: [] }),
    'element/options',
  ],
  [
    'an option with an empty value',
    withElement({ type: 'static_select', options: [a.option('')] }),
    'element/options/0/value',
  ],
  [
    'mrkdwn in a select',
    withElement({ type: 'static_select', options: [{ ...a.option(), text: a.mrkdwn() }] }),
    'element/options/0/text/type',
  ],
  [
    'a link in a select',
    withElement({
      type: 'static_select',
      options: [{ ...a.option(), url: 'https://example.com' }],
    }),
    'element/options/0',
  ],
  [
    'a day that does not exist',
    withElement({ type: 'datepicker', initial_date: '2026-02-30' }),
    'element/initial_date',
  ],
  [
    'a time that does not exist',
    withElement({ type: 'timepicker', initial_time: '24:00' }),
    'element/initial_time',
  ],
  [
    'a time in milliseconds',
    withElement({ type: 'datetimepicker', initial_date_time: 1_628_633_830_000 }),
    'element/initial_date_time',
  ],
  [
    "an initial value beyond the element's own limit",
    withElement({ type: 'plain_text_input', max_length: 3, initial_value: '😀😀😀😀' }),
    'element/initial_value',
  ],
  [
    'an initial value beyond 3,000',
    withElement({ type: 'plain_text_input', initial_value: 'x'.repeat(3001) }),
    'element/initial_value',
  ],
  [
    'a least length above the greatest',
    withElement({ type: 'plain_text_input', min_length: 5, max_length: 4 }),
    'element/min_length',
  ],
  [
    'a number as the initial number',
    withElement({ type: 'number_input', is_decimal_allowed: true, initial_value: 5 }),
    'element/initial_value',
  ],
  ['an empty filter', withElement({ type: 'conversations_select', filter: {} }), 'element/filter'],
  [
    'an unknown style',
    withBlocks({ type: 'actions', elements: [{ ...a.aButton, style: 'default' }] }),
    'elements/0/style',
  ],
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
  it.each(refused)('is refused with %s', (_name, view, pointer) => {
    const problems = validateView(view);
    expect(new Set(problems.map(({ error }) => error))).toEqual(new Set(['invalid_arguments']));
    expect(problems[0]?.message).toBe(
      '[ERROR] failed to match all allowed schemas [json-pointer:/view]',
    );
    const whole = pointer.startsWith('/') ? pointer : `/view/blocks/0/${pointer}`;
    expect(problems.slice(1).map((each) => each.pointer)).toEqual([whole]);
  });

  it.each(taken)('is accepted: %s', (_name, view) => {
    expect(validateView(view)).toEqual([]);
  });

  it('is refused if the method needs another type', () => {
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
  it.skipIf(!hasSharedData)(`is refused as slack.com refuses it${skipNote}`, () => {
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
