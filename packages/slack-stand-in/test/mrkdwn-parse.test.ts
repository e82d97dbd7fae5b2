import { describe, expect, it } from 'vitest';
import { parseMrkdwn, parseSpans } from '../src/mrkdwn-parse.ts';
import { hostileEscaped } from './browser/support/hostile-text.ts';

const text = (value: string) => ({ type: 'text', text: value });

describe('mrkdwn', () => {
  it.each([
    ['*bold*', [{ type: 'bold', children: [text('bold')] }]],
    [
      '_it_ ~no~',
      [
        { type: 'italic', children: [text('it')] },
        text(' '),
        { type: 'strike', children: [text('no')] },
      ],
    ],
    [
      '*a _b_*',
      [{ type: 'bold', children: [text('a '), { type: 'italic', children: [text('b')] }] }],
    ],
    ['2*3*4', [text('2*3*4')]],
    ['snake_case_name', [text('snake_case_name')]],
    ['`*raw* &lt;b&gt;`', [{ type: 'code', text: '*raw* <b>' }]],
    ['a &amp;lt; b', [text('a &lt; b')]],
    ['<https://x.dev|the *page*>', [{ type: 'link', url: 'https://x.dev', label: 'the *page*' }]],
    ['<mailto:a@b.c|a@b.c>', [{ type: 'link', url: 'mailto:a@b.c', label: 'a@b.c' }]],
    ['<javascript:alert(1)|x>', [text('<javascript:alert(1)|x>')]],
    [
      '<@U1> in <#C1|here>',
      [
        { type: 'person', id: 'U1', label: '' },
        text(' in '),
        { type: 'channel', id: 'C1', label: 'here' },
      ],
    ],
    ['<!here>', [{ type: 'broadcast', range: 'here' }]],
    ['<!subteam^S1|@oncall>', [{ type: 'group', id: 'S1', label: '@oncall' }]],
    [':tada: 12:30:45', [{ type: 'emoji', name: 'tada' }, text(' 12:30:45')]],
    [
      '<!date^1700000000^{date} at {time}^https://x.dev|then>',
      [
        {
          type: 'date',
          seconds: 1700000000,
          format: '{date} at {time}',
          link: 'https://x.dev',
          fallback: 'then',
        },
      ],
    ],
    ['unclosed *bold and <angle', [text('unclosed *bold and <angle')]],
  ])('%s', (given, expected) => {
    expect(parseSpans(given)).toEqual(expected);
  });

  it('keeps code blocks, quotes and lines apart', () => {
    expect(parseMrkdwn('one\n&gt; two\n&gt; three\n```\nfour *x*\n```\nfive')).toEqual([
      { type: 'lines', spans: [text('one')] },
      { type: 'quote', spans: [text('two\nthree')] },
      { type: 'code', text: 'four *x*' },
      { type: 'lines', spans: [text('five')] },
    ]);
  });

  it('treats an unclosed fence as text', () => {
    expect(parseMrkdwn('a ``` b')).toEqual([
      { type: 'lines', spans: [text('a ')] },
      { type: 'lines', spans: [text('``` b')] },
    ]);
  });

  it('keeps hostile text as typed', () => {
    const spans = parseSpans(hostileEscaped);
    expect(spans.every((span) => span.type === 'text')).toBe(true);
  });

  it('parses the longest message of marks', () => {
    for (const mark of ['*', '_', '<', ':a:', '`', '*a ', '<@U1>', '&gt; ']) {
      const long = mark.repeat(Math.ceil(40_000 / mark.length));
      expect(JSON.stringify(parseMrkdwn(long)).length).toBeGreaterThan(0);
    }
  });
});
