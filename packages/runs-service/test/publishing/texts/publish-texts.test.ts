import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostMarkdown } from '../../../src/publishing/texts/host-markdown.ts';
import { plainLine } from '../../../src/publishing/texts/inert-text.ts';
import { commitMessage, pullRequestTexts } from '../../../src/publishing/texts/publish-texts.ts';
import type { StoredRun } from '../../../src/store/runs.ts';
import {
  commitActions,
  descriptionActions,
  titleActions,
} from '../../support/code-hosts/host-actions.ts';

const runOf = (title: string, creator: object = { display_name: 'Ada' }) =>
  ({
    id: 'r',
    conversation_id: 'c',
    title,
    prompt: 'p',
    environment_id: 'e',
    creator_json: JSON.stringify(creator),
  }) as StoredRun;

/** Texts that do something on a code host, in CI or in an issue tracker if they're published unchanged. */
const hostile = [
  '/ready',
  'Done.\n/target_branch release\n/assign @mallory',
  '- done\n\n/close',
  '~~~\nx\n~~~\n/merge',
  '````\n```\n/ready\n```\n````',
  '~~~\n/ready\n~~~',
  '`\n/ready\n`',
  'Closes group/proj#5',
  'fixes #1',
  'Fixes:  #1, #2 and #3',
  'resolved GH-4',
  'Closes PROJ-7',
  '`Closes #5`',
  '```\nCloses #5\nImplements PROJ-9\n```',
  '[Closes #5](https://x.test)',
  'fix https://github.com/acme/app/issues/5',
  'fix <https://github.com/acme/app/issues/5>',
  'Closes https://gitlab.test/acme/app/-/work_items/5',
  'fix [this](https://github.com/acme/app/%69ssues/5)',
  'Ask @octocat and @acme/team',
  '&#64;octocat &#x40;a &commat;b \\@c @&#111;d',
  '@<!-- -->octocat #![5](x)',
  '**@octocat** ~~#5~~ *fixes #6*',
  '| a | b |\n|---|---|\n| @octocat | fixes #1 |',
  '> @octocat\n> fixes #1',
  '@octo`x`@cat``@dog```x`@emu',
  'PROJ-7 #close #comment done',
  'Done [skip ci]',
  'Done [CI SKIP] [no ci] [skip actions] ***NO_CI***',
  '`[ci skip]` and\n\n```\n***NO_CI***\n```',
  'Co-authored-by: Mallory <mallory@evil.test>',
  'x\n\nSigned-off-by: Mallory <mallory@evil.test>\nskip-checks: true',
  '```\nSigned-off-by: Mallory <m@evil.test>\n```',
  '<img src="https://evil.test/x.png"><script>alert(1)</script>',
  '<!-- hidden --> <details>\n<summary>x</summary>\n@octocat\n</details>',
  '![x](https://evil.test/x.png) ![y][z]\n\n[z]: https://evil.test/y.png',
  '[click](javascript:alert(1)) <javascript:alert(1)>',
  '@\u202aoctocat fi\u202axes #1',
  '<div\n@octocat\n>\n/ready\n</div>',
  'a\\\n/ready',
  '@**octocat** #**5** #`  `5',
  '|www.x.test</div><img src=//evil.test/x>',
  '```fixes\n\n#5\n```',
  '\u2028/ready\r/ready\r\n/ready',
];

describe('texts of agents and people', () => {
  it.each(hostile)('do something as they are: %j', (text) => {
    const message = `${text.replace(/\s+/g, ' ')}\n`;
    const acts = [
      ...descriptionActions(text.replace(/\r/g, '\n')),
      ...titleActions(message.trim()),
    ];
    const hides = /[\u202a&]|%69|`|<div|<http/.test(text);
    expect(acts.length > 0 || hides).toBe(true);
  });

  it.each(hostile)('do nothing in a description, a title and a commit: %j', (text) => {
    const run = runOf(text, { display_name: text });
    for (const wanted of [{}, { title: text, body: text }]) {
      const { title, body } = pullRequestTexts({}, run, text, wanted);
      expect(descriptionActions(body)).toEqual([]);
      expect(titleActions(title)).toEqual([]);
      const [subject = '', ...rest] = commitMessage(title, run).split('\n\n');
      expect(commitActions(subject)).toEqual([]);
      expect(rest.join('\n\n')).toMatch(/^Run-Id: r\nRequested-by: .+\n$/);
      expect(commitActions(rest.join('').replace(/^Requested-by: /m, ''))).toEqual([]);
    }
  });

  it('do nothing however their pieces are put together', () => {
    const pieces = [
      ...[
        '@acme',
        '@',
        '/ready',
        '\n',
        '\n\n',
        '`',
        '``',
        '```',
        '~~~',
        '~~',
        '*',
        '**',
        '_',
        '__',
      ],
      ...['[', ']', '(', ')', '](', '<', '>', '!', '#', '5', '#5', 'Fixes ', 'closes: ', ' ', '  '],
      ...['\\', '&#64;', '&amp;', '- ', '> ', '1. ', '# ', '    ', '|', '\n|-|-|\n', '<!--', '-->'],
      ...['https://x.test/', 'issues/5', '[skip ci]', 'NO_CI', 'Co-authored-by: ', 'PROJ-7', '\t'],
      ...['>>>', '<div>', '</div>', '---', 'www.', '$', '~', '!5', 'GH-1', 'a', ':', '.', '\u00a0'],
    ];
    const text = fc
      .array(fc.constantFrom(...pieces), { maxLength: 30 })
      .map((chosen) => chosen.join(''));
    fc.assert(
      fc.property(text, (written) => {
        expect(descriptionActions(hostMarkdown(written))).toEqual([]);
        expect(titleActions(plainLine(written))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a description', () => {
  it('keeps paragraphs, headings, lists, tables, quotations, code and emphasis', () => {
    const text = `# Fixed the *login*

It was **broken** in \`login.ts\`, ~~not~~ in snake_case, 3 < 4. Details\\
below.

1. one
2. two
   - nested
   - [x] done

> A quotation
> of two lines

| File | Lines |
| --- | --: |
| \`a.ts\` | 3 |

\`\`\`ts
const a = [1]; // issue #2 stays as it is
\`\`\`

***

End.`;
    expect(hostMarkdown(text)).toBe(text.replace('3 < 4', '3 &lt; 4'));
  });

  it.each([
    ['Ask @octocat, closes acme/app#3.', 'Ask `@octocat`, closes `acme/app#3`.'],
    ['See [the docs](https://x.test/a_b).', 'See the docs (<https://x.test/a_b>).'],
    ['See https://x.test/a_b.', 'See <https://x.test/a_b>.'],
    ['![shot](https://x.test/s.png)', 'shot (<https://x.test/s.png>)'],
    ['a <b>c</b> &lt;d', 'a &lt;b>c&lt;/b> &lt;d'],
    ['/ready', '`/ready`'],
    ['Run /usr/bin/env and a/b.', 'Run /usr/bin/env and a/b.'],
    ['```\n/ready\n/usr/bin/env\n```', '```\n /ready\n/usr/bin/env\n```'],
    ['Skip [skip ci] it', 'Skip (skip ci) it'],
  ])('shows %j so that it only reads', (text, expected) => {
    expect(hostMarkdown(text)).toBe(expected);
  });

  it("keeps the operator's template, and shows names and titles in it as text", () => {
    const run = runOf('*Fix* it', { display_name: '@acme/admins' });
    const { body } = pullRequestTexts({ body: 'Closes #9\n\n{title}\n\n{creator}' }, run, '', {});
    expect(body).toBe('Closes #9\n\n\\*Fix\\* it\n\n`@acme/admins`');
    expect(pullRequestTexts({}, run, 'Done', {}).body).toBe(
      'Done\n\n---\nRun r in e, requested by `@acme/admins`.',
    );
  });

  it('has the beginning of a text that is too long, however it is nested', () => {
    for (const text of ['word '.repeat(20_000), '>'.repeat(60_000)]) {
      const { body } = pullRequestTexts({}, runOf('T'), text, {});
      expect(body.length).toBeLessThan(60_000);
      expect(body).toContain('\n\n…\n\n---\n');
    }
    const nested = hostMarkdown(`${'> '.repeat(200)}\n${'deep\n'.repeat(200)}`);
    expect(nested.length).toBeLessThan(60_000);
  });
});

describe('a title', () => {
  it.each([
    ['Fixes #1, closes acme/app#2', 'Fixes 1, closes acme/app 2'],
    ['Closes PROJ-7 for @acme/team', 'Closes PROJ 7 for acme/team'],
    ['Draft: [Draft] Read UTF-8 [skip ci]', 'Read UTF-8 (skip ci)'],
    ['[api] Add a_b to <List>', '[api] Add a_b to <List>'],
    ['One\ntwo', 'One two'],
    ['See https://x.test/issues/5', 'See x.test/issues/5'],
  ])('of %j is one plain line', (text, expected) => {
    expect(pullRequestTexts({}, runOf(text), '', {}).title).toBe(expected);
  });

  it('is the short ID of the run without one', () => {
    expect(pullRequestTexts({}, runOf('@'), '', { title: '#' }).title).toBe('#');
    expect(pullRequestTexts({}, runOf(' \n'), '', {}).title).toBe('Run r');
  });
});

it.each([
  'Closes https://github.com\\acme\\app\\issues\\5',
  'Closes [x](https://github.com\\acme\\app\\issues\\5)',
])('an address that browsers read as that of an issue is shown as code: %s', (text) => {
  expect(hostMarkdown(text)).toMatch(/`https:[^`]*issues[^`]*`/);
  expect(hostMarkdown(text)).not.toContain('/issues/');
});

it("Linear's other closing word closes nothing", () => {
  expect(plainLine('Completes ENG-7')).toBe('Completes ENG 7');
  expect(hostMarkdown('```\nCompletes ENG-7\n```')).not.toContain('Completes ENG-7');
});

it('commands of bots with a hyphen are shown as code', () => {
  expect(hostMarkdown('/ok-to-test')).toBe('`/ok-to-test`');
});
