import { describe, expect, it } from 'vitest';
import { expandMarkdown } from '../../src/block-kit/markdown/expand-markdown.ts';
import { validateMessage } from '../../src/block-kit/validate-message.ts';
import { type Answer, callApi } from '../support/call-api.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const { startWorkspace } = useWorkspace();
const channel = 'C04GENERAL1';
const section = { type: 'section', text: { type: 'mrkdwn', text: 'x' } };
const richText = (...elements: object[]) => ({ type: 'rich_text', elements });
const line = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const text = (value: string, style?: object) => ({
  type: 'text',
  text: value,
  ...(style && { style }),
});

describe('markdown becomes', () => {
  it.each<[string, string, object[]]>([
    [
      'a header, without styles',
      '## A **b** `c`',
      [{ type: 'header', text: { type: 'plain_text', text: 'A b c' } }],
    ],
    ['a divider', '---', [{ type: 'divider' }]],
    ['code', '```ts\nx\n```', [richText(expect.objectContaining({ language: 'ts' }))]],
    [
      'rich text for each paragraph',
      'a **b** [c](https://d.example)\n\ne',
      [
        richText(
          line(text('a '), text('b', { bold: true }), text(' '), {
            type: 'link',
            url: 'https://d.example',
            text: 'c',
          }),
        ),
        richText(line(text('e'))),
      ],
    ],
    [
      'a list that is interrupted by what is inside of it',
      '1. a\n   - b\n2. c',
      [
        richText(
          { type: 'rich_text_list', style: 'ordered', indent: 0, elements: [line(text('a'))] },
          { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [line(text('b'))] },
          {
            type: 'rich_text_list',
            style: 'ordered',
            indent: 0,
            offset: 1,
            elements: [line(text('c'))],
          },
        ),
      ],
    ],
    [
      'a table',
      '|a|b|\n|-|-:|\n|1||',
      [
        {
          type: 'table',
          rows: [
            [richText(line(text('a'))), richText(line(text('b')))],
            [richText(line(text('1'))), richText(line(text(' ')))],
          ],
          column_settings: [{ align: 'left' }, { align: 'right' }],
        },
      ],
    ],
    ['a quotation', '> a\n> > b', [richText(expect.objectContaining({ type: 'rich_text_quote' }))]],
    ['text if nothing is left', '[a]: b', [richText(line(text(' ')))]],
  ])('%s', (_, markdown, blocks) => {
    expect(expandMarkdown(markdown)).toEqual(blocks);
  });

  it.each([
    ['nested quotations', '>'.repeat(12_000)],
    ['nested lists', '1. '.repeat(4_000)],
    ['number signs', '#'.repeat(10_000)],
    ['rules', '---\n'.repeat(40)],
    ['open links', '[a]('.repeat(3_000)],
    ['open code', '```\nnever closed'],
    ['HTML', '<table><tr><td>a</td></tr></table>'],
    [
      'code and a table in a list of tasks',
      '- [ ] a\n- [x] b\n\n  ```\n  c\n  ```\n\n  | a |\n  |---|\n',
    ],
    ['a link without an address', '****\n****\n![](x)'],
  ])('blocks that Slack would accept: %s', (_, markdown) => {
    const blocks = expandMarkdown(markdown);
    expect(validateMessage({ blocks }, { method: 'response_url' })).toEqual([]);
  });
});

describe('a message with markdown', () => {
  const markdown = [{ type: 'markdown', text: '- a\n- b' }];
  type Changed = Answer & { ts?: string; message?: { blocks: { type?: unknown }[] } };
  const workspaceCaller =
    (workspace: Parameters<typeof callApi>[0]) => (method: string, args: Record<string, unknown>) =>
      callApi(workspace, method, args) as Promise<Changed>;
  const types = (blocks: { type?: unknown }[] = []) => blocks.map(({ type }) => type);

  it('is stored as what it became, and its last rich text stays', async () => {
    const workspace = await startWorkspace();
    const call = workspaceCaller(workspace);
    const { ts, message } = await call('chat.postMessage', { channel, blocks: markdown });
    expect(types(message?.blocks)).toEqual(['rich_text']);
    const updated = await call('chat.update', { channel, ts, blocks: markdown });
    expect(types(updated.message?.blocks)).toEqual(['rich_text']);
    const rejected = await call('chat.update', { channel, ts, blocks: [section] });
    expect(rejected.error).toBe('block_mismatch');
    const kept = [section, richText(line(text(' ')))];
    expect(await call('chat.update', { channel, ts, blocks: kept })).toMatchObject({ ok: true });
  });

  it('may lose its rich text if the workspace is told so, unless the app sent that itself', async () => {
    const workspace = await startWorkspace({ blockMismatchAfterMarkdown: false });
    const call = workspaceCaller(workspace);
    const { ts } = await call('chat.postMessage', { channel, blocks: markdown });
    expect((await call('chat.update', { channel, ts, blocks: [section] })).ok).toBe(true);
    const own = [richText(line(text('a')))];
    expect((await call('chat.update', { channel, ts, blocks: own })).ok).toBe(true);
    const rejected = await call('chat.update', { channel, ts, blocks: [section] });
    expect(rejected.error).toBe('block_mismatch');
  });
});
