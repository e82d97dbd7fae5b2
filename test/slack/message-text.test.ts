import { describe, expect, it } from 'vitest';
import { messageText, slackMessageSchema } from '../../src/slack/message-text.ts';

const read = (message: object) =>
  messageText(slackMessageSchema.parse({ ts: '1.0', ...message }), new Map([['U1', 'Ada']]));

const richText = (...elements: object[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});

describe('what a message says', () => {
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
