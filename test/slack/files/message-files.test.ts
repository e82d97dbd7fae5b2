import { maskFile } from 'base/secrets/mask-file';
import { createMask } from 'base/secrets/mask-secrets';
import { describe, expect, it } from 'vitest';
import {
  chooseFiles,
  describeFiles,
  fileName,
  sizeText,
} from '../../../src/slack/files/message-files.ts';

const megabytes = (count: number) => count * 1024 * 1024;
const file = (id: string, more: object = {}) => ({
  id,
  name: `${id}.log`,
  mimetype: 'text/plain',
  size: 100,
  ...more,
});

describe('the files of messages', () => {
  it('go to the agent up to five, none twice, and none that Slack has no more', () => {
    const first = { files: [file('F1'), file('F2'), { id: 'F0', mode: 'tombstone' }, {}] };
    const second = { files: [file('F2'), file('F3'), file('F4'), file('F5'), file('F6')] };
    const { files, left } = chooseFiles([first, {}, second]);
    expect(files.map(({ id }) => id)).toEqual(['F1', 'F2', 'F3', 'F4', 'F5']);
    expect(left).toEqual(["F6.log isn't sent, because the limit is 5 files."]);
    expect(describeFiles(files)).toBe('5 files (500 B)');
    expect(chooseFiles([first], files)).toEqual({ files: [], left: [] });
  });

  it.each([
    [[file('F1', { size: megabytes(12) })], ['F1.log is too large (12 MB, the limit is 5 MB).']],
    [
      ['F1', 'F2', 'F3'].map((id) => file(id, { size: megabytes(4) })),
      ["F3.log isn't sent, because the limit for all files is 10 MB."],
    ],
    [[file('F1', { is_external: true })], ['F1.log is stored outside Slack.']],
  ])('stay out with a reason', (files, left) => {
    expect(chooseFiles([{ files }]).left).toEqual(left);
  });

  it('have short names on one line, without secrets', () => {
    expect(fileName(`${'a'.repeat(300)}.png`)).toBe(`…${'a'.repeat(55)}.png`);
    expect(fileName('a\nb\u202e.png')).toBe('a b.png');
    expect(fileName('')).toBe('file');
    expect(fileName('password=hunter2hunter2.txt')).not.toContain('hunter2');
  });

  it.each([
    [0, '0 B'],
    [1_500, '1 KB'],
    [1_400_000, '1.3 MB'],
    [megabytes(12), '12 MB'],
  ])('%i bytes are %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
});

describe('the content of a file', () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${`${'MIIE'.repeat(16)}\n`.repeat(9)}-----END PRIVATE KEY-----\n`;
  const masked = async (text: string | Buffer) =>
    (await maskFile(Buffer.from(text), createMask())).toString('latin1');

  it('is masked if it is text, however long, also where it is cut', async () => {
    const line = 'GET /health 200\n';
    // The key is at the end of the first chunk, where it could be cut in two.
    const before = line.repeat(Math.ceil(65_500 / line.length));
    const text = `${before}${key}${line.repeat(9_000)}password=hunter2hunter2\n`;
    const shown = await masked(text);
    expect(shown).not.toContain('MIIE');
    expect(shown).not.toContain('hunter2');
    expect(shown.startsWith(before)).toBe(true);
    expect(shown.split('\n').length).toBe(text.split('\n').length - 10);
  });

  it.each(['utf8', 'latin1', 'utf16le'] as const)('is masked in %s', async (encoding) => {
    const write = (secret: string) => Buffer.from(`\ufeffÄ=ö\npassword=${secret}\n`, encoding);
    const shown = await maskFile(write('hunter2hunter2'), createMask());
    expect(shown).toEqual(write('[masked secret 1]'));
  });

  it('stays as it is otherwise', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0, 0xff, ...Buffer.from('password=hunter2hunter2')]);
    expect(await masked(bytes)).toBe(bytes.toString('latin1'));
    expect(await masked('one\ntwo')).toBe('one\ntwo');
    expect(await masked('')).toBe('');
  });
});
