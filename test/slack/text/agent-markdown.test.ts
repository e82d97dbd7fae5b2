import fc from 'fast-check';
import { expandMarkdown } from 'slack-stand-in/block-kit/markdown/expand-markdown';
import { describe, expect, it } from 'vitest';
import { agentMarkdown } from '../../../src/slack/text/agent-markdown.ts';

const rest = 'The rest is in Details.';
const shown = (text: string, characters = 1_200, blocks = 50) =>
  agentMarkdown(text, { characters, blocks }, rest).block.text;
/** Returns the text that people see, without its invisible characters. */
const seen = (text: string) => shown(text).replaceAll('\u2060', '');

describe("an agent's answer as Markdown", () => {
  it('keeps headings, lists, tables and code', () => {
    const answer = '# Done\n\n- **one**\n- `two`\n\n| a | b |\n|---|---|\n\n```ts\nx[0](1)\n```';
    expect(shown(answer)).toBe(answer);
  });

  it.each(['<@U1>', '<!channel>', '<#C1>', '<!subteam^S1>', '<https://evil.example|acme.com>'])(
    'defuses %s',
    (text) => {
      expect(shown(text)).not.toContain(text);
      expect(seen(text)).toBe(text);
    },
  );

  it.each(['@channel', '@Here', '@everyone'])('defuses %s', (text) => {
    expect(shown(`ask ${text}`)).not.toContain(text);
  });

  it('shows where a link leads', () => {
    expect(shown('see [acme.com](https://evil.example/x) now')).toBe(
      'see acme.com (https://evil.example/x) now',
    );
    expect(shown('![a picture](https://evil.example/p.png)')).toBe(
      'a picture (https://evil.example/p.png)',
    );
    expect(shown('[https://a.example](https://a.example)')).toBe('https://a.example');
  });

  it.each(['[a](b(c))', '[a](<b> "t" )x', '[a [b](c)](d)', '[a][1]\n\n[1]: https://evil.example'])(
    'leaves no link in %s',
    (text) => {
      expect(shown(text)).not.toMatch(/\]\(|^ {0,3}\[[^\]]+\]:/m);
    },
  );

  it.each([
    '``` `\n[acme.com](https://evil.example)',
    '```\nx\n```````\n[acme.com](https://evil.example)',
    '```````\nx\n```````\n[acme.com](https://evil.example)',
    '- a\n\n  ```\n[acme.com](https://evil.example)',
    '- a\n\n  ```\nb\n```\nc\n```\n[acme.com](https://evil.example)',
    '<pre>\n```\n</pre>\n[acme.com](https://evil.example)',
    '[acme.com][1]\n\n> [1]: https://evil.example',
    '[acme.com][1]\n\n- [1]:\n  https://evil.example',
    '[acme.com][1\n2]\n\n[1\n2]: <https://evil.example>',
  ])('leaves no link behind what only looks like code or text: %j', (text) => {
    expect(shown(text)).not.toMatch(/\]\(|\]:/);
  });

  it('leaves no link behind code that a long heading begins', () => {
    const link = '~~~\n[acme.com](https://evil.example)\n~~~';
    const blocks = expandMarkdown(shown(`# ~~~ ${'word '.repeat(40)}\n\n${link}`));
    expect(JSON.stringify(blocks)).not.toContain('"link"');
  });

  it.each(['```js\nx[0](1)\n```\ny[0]: 1', '~~~\nx[0](1)\n~~~', 'a `map[key]: value`'])(
    'leaves code as it is: %j',
    (text) => {
      expect(shown(text)).toBe(text);
    },
  );

  it('cuts a long answer at the end of a line and says where the rest is', () => {
    const text = shown('word word\n'.repeat(500));
    expect([...text].length).toBeLessThanOrEqual(1_200);
    expect(text.endsWith(`word word\n\n${rest}`)).toBe(true);
  });

  it('ends code that the cut leaves open', () => {
    const text = shown(`Look:\n\`\`\`ts\n${'let x = 1;\n'.repeat(500)}\`\`\`\n`);
    expect(text.endsWith(`\`\`\`\n\n${rest}`)).toBe(true);
    expect(text.match(/```/g)).toHaveLength(2);
  });

  it('fits the limit and has text, whatever the agent wrote', () => {
    const piece = fc.constantFrom(
      '```',
      '`'.repeat(99),
      '~~~\n',
      '[a](',
      ')',
      '<@U1>',
      '\n',
      '@here',
      '🙂',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 300 }), (pieces) => {
        const text = shown(pieces.join(''), 300);
        expect([...text].length).toBeLessThanOrEqual(300);
        expect(text).not.toBe('');
        expect(text).not.toMatch(/<[@#!]|@(here|channel|everyone)/i);
      }),
    );
  });
});
