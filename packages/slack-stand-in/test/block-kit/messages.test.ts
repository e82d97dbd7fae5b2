import { describe, expect, it } from 'vitest';
import {
  type MessageMethod,
  type MessagePayload,
  validateMessage,
} from '../../src/block-kit/validate-message.ts';
import { hasSharedData, readSharedJson, whySkipped } from '../support/shared-data.ts';
import * as a from './fragments.ts';

const section = (text: string) => ({ type: 'section', text: a.mrkdwn(text) });
const sections = (count: number) => a.times(count, a.aSection);
const sectionsOf = (characters: number) =>
  Array.from({ length: Math.ceil(characters / 3000) }, (_, index) =>
    section('x'.repeat(Math.min(3000, characters - index * 3000))),
  );
const markdownOf = (text: string) => ({ type: 'markdown', text });
const markdown = (length: number) => markdownOf('x'.repeat(length));
const tableOf = (rows: number, columns: number, cell = 'x') =>
  ['|', ...Array.from({ length: rows + 1 }, () => '|')]
    .map((_, index) => `|${`${index === 1 ? '-' : cell}|`.repeat(columns)}`)
    .join('\n');
const richText = (length: number) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x'.repeat(length) }] }],
});
const table = { type: 'table', rows: [[a.cell()]] };
const plan = (...tasks: object[]) => ({ type: 'plan', title: 'x', tasks });
const tasks = (count: number, title = 'x') =>
  Array.from({ length: count }, (_, index) => ({ ...a.aTask, task_id: `t${index}`, title }));
const actions = (...ids: string[]) => ({
  type: 'actions',
  elements: ids.map((id) => ({ ...a.aButton, action_id: id })),
});

/** Returns a message with only these blocks. */
const only = (...blocks: unknown[]) => ({ blocks });
const actionsOf = (...elements: unknown[]) => only({ type: 'actions', elements });

type Row = [name: string, payload: MessagePayload, answer: string, method?: MessageMethod];

const rejected: Row[] = [
  ['nothing at all', {}, 'no_text /text'],
  ['empty text and an empty list of blocks', { text: '', blocks: [] }, 'no_text /text'],
  ['only white space', { text: ' \n ' }, 'no_text /text'],
  ['a text that is a number', { text: 5 }, 'invalid_arguments /text'],
  ['blocks that are no JSON', { blocks: '[{' }, 'invalid_blocks_format /blocks'],
  ['blocks that are one object', { blocks: a.aSection }, 'invalid_blocks_format /blocks'],
  ['51 blocks', { blocks: sections(51) }, 'invalid_blocks /blocks'],
  [
    'a block_id given twice',
    { blocks: a.times(2, { type: 'divider', block_id: 'b' }) },
    'invalid_blocks /blocks/1/block_id',
  ],
  [
    'a block_id given again inside a container',
    {
      blocks: [
        { ...a.aContainer, block_id: 'b', child_blocks: [{ type: 'divider', block_id: 'b' }] },
      ],
    },
    'invalid_blocks /blocks/0/child_blocks/0/block_id',
  ],
  [
    'titles of tasks beyond 12,000 together',
    only(plan(...tasks(4, 'x'.repeat(3_000)))),
    'msg_blocks_too_long /blocks',
  ],
  [
    'markdown blocks beyond 12,000 together',
    only(markdown(6000), markdown(6001)),
    'msg_blocks_too_long /blocks',
  ],
  [
    'markdown and a section beyond 11,340 together',
    only(markdown(11_000), section('x'.repeat(341))),
    'msg_blocks_too_long /blocks',
  ],
  ['51 headings in markdown', only(markdownOf('# Title\n'.repeat(51))), 'invalid_blocks /blocks'],
  [
    '49 paragraphs, lists and rules of markdown between two sections',
    only(a.aSection, markdownOf('one\n\n- two\n\n---\n\n'.repeat(17).slice(0, -6)), a.aSection),
    'invalid_blocks /blocks',
  ],
  [
    '51 headings in markdown text',
    { markdown_text: '# Title\n'.repeat(51) },
    'invalid_blocks /blocks',
  ],
  [
    'a heading beyond 150 in markdown',
    only(markdownOf(`# ${'x'.repeat(151)}`)),
    'invalid_blocks /blocks/0',
  ],
  ['two tables', only(table, a.aSection, table), 'invalid_attachments /blocks/2'],
  [
    'two tables in markdown',
    only(markdownOf(`${tableOf(2, 2)}\n\nand\n\n${tableOf(2, 2)}`)),
    'invalid_attachments /blocks/0',
  ],
  [
    'a table in markdown and one in a list of it',
    only(markdownOf(tableOf(1, 1)), markdownOf('- a\n\n  |a|\n  |-|')),
    'invalid_attachments /blocks/1',
  ],
  [
    'a table of 101 rows in markdown',
    only(markdownOf(tableOf(100, 2))),
    'invalid_attachments /blocks/0',
  ],
  [
    'a table of 21 columns in markdown',
    only(markdownOf(tableOf(2, 21))),
    'invalid_attachments /blocks/0',
  ],
  [
    'a table of more than 10,000 characters in markdown',
    only(markdownOf(tableOf(9, 2, 'x'.repeat(501)))),
    'invalid_attachments /blocks/0',
  ],
  [
    'sections beyond 12,000 together',
    { blocks: sectionsOf(12_001) },
    'msg_blocks_too_long /blocks',
  ],
  [
    'rich text and sections beyond 11,340 together',
    only(richText(8341), ...sectionsOf(3000)),
    'msg_blocks_too_long /blocks',
  ],
  [
    '101 attachments',
    { attachments: a.times(101, { text: 'x' }) },
    'too_many_attachments /attachments',
  ],
  [
    'a wrong block in an attachment',
    { attachments: [{ blocks: [{}] }] },
    'invalid_blocks /attachments/0/blocks/0',
  ],
  [
    'a wrong block in an updated attachment',
    { attachments: [{ blocks: [{}] }] },
    'invalid_attachments /attachments/0/blocks/0',
    'chat.update',
  ],
  ['a text beyond 40,000', { text: 'x'.repeat(40_001) }, 'msg_too_long /text'],
  ['an updated text beyond 4,000', { text: 'x'.repeat(4001) }, 'msg_too_long /text', 'chat.update'],
  ['markdown and text', { text: 'x', markdown_text: 'x' }, 'markdown_text_conflict /markdown_text'],
  [
    'markdown text beyond 12,000',
    { markdown_text: 'x'.repeat(12_001) },
    'msg_too_long /markdown_text',
  ],
  ['metadata that is no JSON', { text: 'x', metadata: '{' }, 'invalid_metadata_format /metadata'],
  [
    'metadata without a type',
    { text: 'x', metadata: { event_payload: {} } },
    'invalid_metadata_schema /metadata',
  ],
  [
    'metadata with a list as payload',
    { text: 'x', metadata: { event_type: 'e', event_payload: [] } },
    'invalid_metadata_schema /metadata/event_payload',
  ],
];

/** Blocks with one mistake each, and the path to it. */
const wrongBlocks: [at: string, payload: MessagePayload][] = [
  ['0', only(null)],
  ['0', only({})],
  ['0/type', only({ type: 'alert', text: a.plain() })],
  ['0/type', only({ type: 'file', external_id: 'F', source: 'remote' })],
  ['0/element/type', only({ ...a.anInput, element: { type: 'file_input' } })],
  ['0/child_blocks/0/type', only({ ...a.aContainer, child_blocks: [a.aContainer] })],
  [
    '0/elements/0/options/0',
    actionsOf({ type: 'overflow', options: [{ ...a.option(), id: 'x' }] }),
  ],
  [
    '0/elements/0/confirm',
    actionsOf({ ...a.aButton, confirm: { ...a.aConfirmation, cancel: a.plain() } }),
  ],
  ['0/elements/0', actionsOf({ ...a.aButton, block_id: 'x' })],
  ['0/text', only({ type: 'section', text: { ...a.mrkdwn(), emoji: true } })],
  ['0/text/type', only({ type: 'header', text: a.mrkdwn() })],
  ['0/elements/2/action_id', only(actions('a', 'b', 'a'))],
  ['0/tasks', only(plan(a.aTask, a.aTask))],
  ['0/tasks', only(plan(...tasks(51)))],
  ['1', only(plan(a.aTask), { type: 'task_card', ...a.aTask })],
  ['0/elements/0/url', actionsOf({ ...a.aButton, url: 'example.com' })],
  ['0/image_url', only({ ...a.anImage, image_url: 'file:///etc/passwd' })],
];

const taken: Row[] = [
  ['text alone', { text: 'x' }, ''],
  ['blocks as JSON text, as a form carries them', { blocks: JSON.stringify([a.aSection]) }, ''],
  ['50 blocks', { blocks: sections(50) }, ''],
  [
    'null where nothing is meant',
    { text: 'x', blocks: null, attachments: null, metadata: null },
    '',
  ],
  ['12,000 characters of markdown', only(markdown(12_000)), ''],
  ['a table of 100 rows in markdown', only(markdownOf(tableOf(99, 20))), ''],
  ['50 headings in markdown', only(markdownOf('# Title\n'.repeat(50))), ''],
  ['12,000 characters of sections', { blocks: sectionsOf(12_000) }, ''],
  ['an updated text of 4,000 emoji', { text: '😀'.repeat(4000) }, '', 'chat.update'],
  ['100 attachments', { attachments: a.times(100, { text: 'x', anything: 1 }) }, ''],
  [
    'the same block_id in the message and an attachment',
    {
      blocks: [{ type: 'divider', block_id: 'b' }],
      attachments: [{ blocks: [{ type: 'divider', block_id: 'b' }] }],
    },
    '',
  ],
  ['the same action_id in two blocks', only(actions('a'), actions('a')), ''],
  ['a long answer to a response_url', { blocks: sectionsOf(20_000) }, '', 'response_url'],
  ['a link to this machine', actionsOf({ ...a.aButton, url: 'http://127.0.0.1:8080/s/1' }), ''],
];

const answer = (payload: MessagePayload, method: MessageMethod = 'chat.postMessage') =>
  validateMessage(payload, { method }).map(({ error, pointer }) => `${error} ${pointer}`);

describe('a message', () => {
  it.each(rejected)('is rejected with %s', (_, payload, expected, method) => {
    expect(answer(payload, method)).toEqual([expected]);
  });

  it.each(wrongBlocks)('is rejected for what is at /blocks/%s of %j', (at, payload) => {
    expect(answer(payload)).toEqual([`invalid_blocks /blocks/${at}`]);
  });

  it.each(taken)('is accepted with %s', (_, payload, __, method) => {
    expect(answer(payload, method)).toEqual([]);
  });

  it("is rejected in Slack's wording", () => {
    const blocks = [actions('a', 'a'), section('x'.repeat(3001))];
    const messages = (payload: MessagePayload) =>
      validateMessage(payload, { method: 'chat.postMessage' }).map(({ message }) => message);
    expect(messages({ blocks })).toEqual([
      '[ERROR] must be less than 3001 characters [json-pointer:/blocks/1/text/text]',
    ]);
    expect(messages({ blocks: blocks.slice(0, 1) })).toEqual([
      '[ERROR] `action_id` "a" already exists [json-pointer:/blocks/0/elements/1/action_id]',
    ]);
  });

  /** Errors that Slack returns, although the method's reference lacks them. */
  const seen: Record<string, readonly string[]> = {
    // Slack truncates the text silently. The stand-in rejects it, so that no app loses text.
    'chat.postMessage': ['msg_too_long', 'invalid_arguments', 'invalid_attachments'],
    'chat.update': ['msg_blocks_too_long', 'invalid_arguments'],
    'chat.postEphemeral': ['msg_blocks_too_long', 'invalid_arguments'],
  };
  const skipNote = hasSharedData ? '' : ` (${whySkipped})`;
  it.skipIf(!hasSharedData).each(Object.keys(seen))(
    `is rejected by %s with documented errors only${skipNote}`,
    (method) => {
      const { errors } = readSharedJson(`slack/methods/${method}.json`) as { errors: object };
      const known = [...Object.keys(errors), ...seen[method]!];
      // Only chat.postMessage and chat.update accept metadata.
      const rows = rejected.filter(
        ([, { metadata }]) => method !== 'chat.postEphemeral' || metadata === undefined,
      );
      const payloads = [...rows, ...wrongBlocks].map(([, payload]) => payload);
      for (const payload of payloads) {
        for (const { error } of validateMessage(payload, { method: method as MessageMethod })) {
          expect(known).toContain(error);
        }
      }
    },
  );
});
