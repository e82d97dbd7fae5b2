import { describe, expect, it } from 'vitest';
import { blockOf, type Surface } from '../../src/block-kit/surfaces.ts';
import { hasSharedData, whySkipped } from '../support/shared-data.ts';
import * as a from './fragments.ts';
import { checkBy } from './limit-case.ts';
import { readValid, validFiles } from './valid-files.ts';

type Typed = { type: string };

const samplesOf = (folder: string) =>
  validFiles
    .filter((file) => file.startsWith(`${folder}/`))
    .map((file) => readValid(file) as Typed)
    .filter((sample, index, all) => all.findIndex(({ type }) => type === sample.type) === index);

/** Blocks that a surface rejects (blocks.json on docs.slack.dev). */
const rejected: Record<Surface, readonly string[]> = {
  message: ['alert', 'file'],
  modal: [
    'card',
    'carousel',
    'context_actions',
    'data_visualization',
    'file',
    'markdown',
    'plan',
    'table',
    'task_card',
  ],
  home: [
    'alert',
    'context_actions',
    'data_visualization',
    'file',
    'markdown',
    'plan',
    'table',
    'task_card',
  ],
};

const menus = ['static', 'external', 'users', 'conversations', 'channels'];
const choices = [
  ...menus.flatMap((menu) => [`${menu}_select`, `multi_${menu}_select`]),
  ...['checkboxes', 'radio_buttons', 'datepicker', 'timepicker'],
];
const typed = [
  ...['plain_text_input', 'email_text_input', 'url_text_input', 'number_input'],
  'rich_text_input',
];
const pressed = ['button', 'overflow', 'workflow_button'];

/** Elements that each block allows ("Works with block types" on the element's reference page). */
const places: [name: string, surface: Surface, hold: (element: unknown) => unknown, string[]][] = [
  [
    'the elements of actions',
    'message',
    (element) => ({ type: 'actions', elements: [element] }),
    [...pressed, ...choices, 'datetimepicker', 'rich_text_input'],
  ],
  [
    'the accessory of a section',
    'message',
    (accessory) => ({ ...a.aSection, accessory }),
    [...pressed, ...choices, 'image'],
  ],
  [
    'an input of the Home tab',
    'home',
    (element) => ({ ...a.anInput, element }),
    [...typed, ...choices, 'datetimepicker'],
  ],
  [
    'an input of a modal',
    'modal',
    (element) => ({ ...a.anInput, element }),
    [...typed, ...choices, 'datetimepicker', 'file_input'],
  ],
  ['context', 'message', (element) => ({ type: 'context', elements: [element] }), ['image']],
  ['context_actions', 'message', (each) => ({ type: 'context_actions', elements: [each] }), []],
];

const skipNote = hasSharedData ? '' : ` (${whySkipped})`;

describe.skipIf(!hasSharedData)(`allowed blocks and elements${skipNote}`, () => {
  it.each(Object.keys(blockOf) as Surface[])(
    'a %s accepts the blocks that Slack accepts',
    (surface) => {
      const blocks = samplesOf('blocks');
      expect(blocks.length).toBeGreaterThanOrEqual(20);
      const answers = blocks.flatMap((block) =>
        checkBy(blockOf[surface])(block).map((message) => [block.type, message]),
      );
      expect(answers).toEqual(
        blocks
          .filter(({ type }) => rejected[surface].includes(type))
          .map(({ type }) => [type, `[ERROR] unsupported type: ${type} [json-pointer:/type]`]),
      );
    },
  );

  it.each(places)('%s in a %s: the elements that Slack accepts', (_, surface, hold, taken) => {
    const elements = samplesOf('elements');
    expect(elements.length).toBeGreaterThanOrEqual(25);
    const passed = elements.filter(
      (element) => checkBy(blockOf[surface])(hold(element)).length === 0,
    );
    expect(passed.map(({ type }) => type).sort()).toEqual([...taken].sort());
  });
});
