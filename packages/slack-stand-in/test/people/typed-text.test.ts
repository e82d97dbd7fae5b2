import { describe, expect, it } from 'vitest';
import { encodeTyped, richTextOf } from '../../src/people/typed-text.ts';
import { seedWorld } from '../../src/world/seed.ts';

const world = seedWorld('Test App');
const ada = '<@U04ADALOVEL>';
const alan = '<@U04ALANTURI>';
const engineering = '<#C04ENGINEER|engineering>';

const cases: [typed: string, sent: string][] = [
  ['plain', 'plain'],
  ['a & b <c>', 'a &amp; b &lt;c&gt;'],
  ['@ada', ada],
  ['@Ada Lovelace please', `${ada} please`],
  ['(@ada) and @alan', `(${ada}) and ${alan}`],
  ['@ada @alan', `${ada} ${alan}`],
  ['@ada: look', `${ada}: look`],
  ['@adamant is nobody', '@adamant is nobody'],
  ['mail ada@example.com', 'mail ada@example.com'],
  ['in #engineering', `in ${engineering}`],
  ['issue #42', 'issue #42'],
  ['see https://x.org/a?b=1&c=2', 'see <https://x.org/a?b=1&amp;c=2>'],
  [`already ${ada}`, `already ${ada}`],
  ['<script>', '&lt;script&gt;'],
  ['two\n@ada\nlines', `two\n${ada}\nlines`],
];

describe('typed text', () => {
  it.each(cases)('%j is sent as %j', (typed, sent) => {
    expect(encodeTyped(world, 'T04ENGINE01', typed)).toBe(sent);
  });

  it('is also sent as a rich text block', () => {
    const { elements } = richTextOf(`hi ${ada}, a &lt; b <https://x.org|x>`, 'id');
    expect(elements).toEqual([
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'hi ' },
          { type: 'user', user_id: 'U04ADALOVEL' },
          { type: 'text', text: ', a < b ' },
          { type: 'link', url: 'https://x.org', text: 'x' },
        ],
      },
    ]);
  });

  it('with marks has styles, code blocks and quotes', () => {
    const { elements } = richTextOf('*a* `b` :tada: at 12:30:45\n&gt; c\n```d *e*```', 'id');
    expect(elements).toEqual([
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'a', style: { bold: true } },
          { type: 'text', text: ' ' },
          { type: 'text', text: 'b', style: { code: true } },
          { type: 'text', text: ' ' },
          { type: 'emoji', name: 'tada' },
          { type: 'text', text: ' at 12:30:45' },
        ],
      },
      { type: 'rich_text_quote', elements: [{ type: 'text', text: 'c' }] },
      {
        type: 'rich_text_preformatted',
        elements: [{ type: 'text', text: 'd *e*' }],
        border: 0,
      },
    ]);
  });
});
