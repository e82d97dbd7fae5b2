import { describe, expect, it } from 'vitest';
import { messageText, slackMessageSchema } from '../../../src/slack/text/message-text.ts';

const read = (message: object) =>
  messageText(slackMessageSchema.parse({ ts: '1.0', ...message }), new Map([['U1', 'Ada']]));

const richText = (...elements: object[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});

const label = (text: string) => ({ type: 'plain_text', text });

describe('the text of a message', () => {
  it.each<[string, object, string]>([
    [
      'its text, as typed',
      { text: 'a &amp; <@U1> <https://x.example>' },
      'a & @Ada https://x.example',
    ],
    ['nothing', {}, ''],
    [
      'its blocks when there is no text',
      {
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: 'Title' } },
          { type: 'divider' },
        ],
      },
      'Title',
    ],
    [
      'the blocks of a bot whose text is only a summary',
      {
        bot_id: 'B1',
        text: 'Alert',
        blocks: [
          {
            type: 'section',
            fields: [
              { type: 'mrkdwn', text: 'a' },
              { type: 'mrkdwn', text: 'long one' },
            ],
          },
        ],
      },
      'a\nlong one',
    ],
    [
      'rich text with its parts',
      {
        blocks: [
          richText(
            { type: 'text', text: 'ask ' },
            { type: 'user', user_id: 'U1' },
            { type: 'emoji', name: 'eyes' },
            { type: 'link', url: 'https://x.example', text: 'here' },
          ),
        ],
      },
      'ask @Ada:eyes:here (https://x.example)',
    ],
    [
      'where buttons lead to, and nothing of those that only do something',
      {
        blocks: [
          {
            type: 'section',
            text: { type: 'mrkdwn', text: 'It fails' },
            accessory: { type: 'button', text: label('Trace'), url: 'https://t.example' },
          },
          {
            type: 'actions',
            elements: [
              { type: 'button', text: label('Runbook'), url: 'https://r.example' },
              { type: 'button', text: label('Mute'), value: 'x' },
              { type: 'static_select', placeholder: label('Assign to') },
            ],
          },
        ],
      },
      'It fails\nTrace (https://t.example)\nRunbook (https://r.example)',
    ],
    [
      'the rows of a table',
      {
        blocks: [
          {
            type: 'data_table',
            caption: 'Slowest',
            rows: [
              [
                { type: 'raw_text', text: 'Name' },
                { type: 'raw_text', text: 'Score' },
              ],
              [richText({ type: 'text', text: 'a\nb' }), { type: 'raw_number', text: '42' }],
            ],
          },
        ],
      },
      'Slowest\nName | Score\na b | 42',
    ],
    [
      'cards, containers and plans',
      {
        blocks: [
          { type: 'card', title: { type: 'mrkdwn', text: '*Up*' }, body: label('All is well') },
          { type: 'container', child_blocks: [{ type: 'section', text: label('Inside') }] },
          { type: 'plan', title: 'Plan', tasks: [{ title: 'First', status: 'complete' }] },
        ],
      },
      '*Up*\nAll is well\nInside\nPlan\nFirst',
    ],
    [
      'dates and groups, as people see them where that is known',
      {
        blocks: [
          richText(
            { type: 'date', timestamp: 1, format: '{date}', fallback: 'Jan 1' },
            { type: 'text', text: ' for ' },
            { type: 'usergroup', usergroup_id: 'S1' },
          ),
        ],
      },
      'Jan 1 for @S1',
    ],
    [
      'attachments, old and new',
      {
        text: 'see',
        attachments: [
          {
            title: 'Error',
            title_link: 'https://x.example/1',
            text: 'at line 1',
            fallback: 'never',
            fields: [{ title: 'Release', value: '1.2' }],
          },
          { fallback: 'only this' },
        ],
      },
      'see\nError https://x.example/1\nat line 1\nRelease: 1.2\nonly this',
    ],
    [
      'files by name and link',
      { files: [{ name: 'log.txt', permalink: 'https://x.example/f' }, {}] },
      'File: log.txt https://x.example/f\nFile:',
    ],
    [
      'odd shapes as nothing',
      { text: 5, blocks: 'x', attachments: [{ fields: 'x' }], files: {} },
      '',
    ],
  ])('%s', (_, message, text) => {
    expect(read(message)).toBe(text);
  });
});
