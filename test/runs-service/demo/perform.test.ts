import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { perform } from '../../../src/runs-service/demo/agent/perform.ts';
import type { DemoStep } from '../../../src/runs-service/demo/agent/understand.ts';
import { plainText } from '../../../src/runs-service/execution/output/last-lines.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

function project(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

async function said(step: DemoStep, folder: string): Promise<string> {
  const lines: string[] = [];
  await perform(step, folder, (line) => lines.push(line));
  return plainText(lines.join('\n'));
}

const notes = {
  'src/a.js': '// TODO: one\nconst a = 1;\n// FIXME(me): two\n',
  'b.md': 'todo lists\nTODO: three\n',
  'node_modules/x/index.js': '// TODO: not ours\n',
  'image.bin': 'TODO: \0',
};

describe('the demo agent', () => {
  it("counts TODO comments in the project's text files only", async () => {
    const output = await said({ kind: 'count-todos' }, project(notes));
    expect(output).toContain('3 TODO comments in 2 files.');
    expect(output).toContain('src/a.js:1  // TODO: one');
  });

  it('finds the file that people mean by its name alone', async () => {
    const folder = project({ 'README.md': 'one\n' });
    await said({ kind: 'add-line', line: 'two', file: 'readme' }, folder);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('one\ntwo\n');
  });

  it('counts lines and lists files', async () => {
    expect(await said({ kind: 'count-lines' }, project(notes))).toContain('5 lines in 2 files.');
    expect(await said({ kind: 'list-files' }, project(notes))).toContain('2 files.');
  });

  it('ignores case in searches', async () => {
    const output = await said({ kind: 'search', text: 'CONST' }, project(notes));
    expect(output).toContain('1 line with "CONST".');
  });

  it('replaces text and adds lines', async () => {
    const folder = project({ 'a.txt': 'one one' });
    await said({ kind: 'replace', from: 'one', to: '$&two', file: 'a.txt' }, folder);
    await said({ kind: 'add-line', line: 'three', file: './a.txt' }, folder);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('$&two $&two\nthree\n');
  });

  it('says what it can do, and where the words of the prompt are', async () => {
    const output = await said({ kind: 'unknown', words: ['const', 'zebra'] }, project(notes));
    expect(output).toContain('no language model');
    expect(output).toContain('Lines with "const":');
    expect(output).not.toContain('zebra');
  });

  it.each([
    ['../outside.txt', /doesn't exist/],
    ['/etc/hostname', /doesn't exist/],
    ['link.txt', /doesn't exist/],
    ['.git/config', /doesn't exist/],
    ['.', /doesn't exist/],
    ['missing.txt', /"missing.txt" doesn't exist/],
  ])('does not touch %s', async (file, says) => {
    const folder = project({ 'in/a.txt': 'x', 'outside.txt': 'x', 'in/.git/config': 'x' });
    symlinkSync('../outside.txt', join(folder, 'in/link.txt'));
    const step = { kind: 'replace', from: 'x', to: 'y', file } as const;
    await expect(said(step, join(folder, 'in'))).rejects.toThrow(says);
  });

  it('fails with the requested reason, or if a text does not occur', async () => {
    const folder = project(notes);
    await expect(said({ kind: 'fail', reason: 'the moon' }, folder)).rejects.toThrow('the moon');
    const step = { kind: 'replace', from: 'zebra', to: 'y', file: 'b.md' } as const;
    await expect(said(step, folder)).rejects.toThrow('b.md doesn\'t contain "zebra".');
  });
});
