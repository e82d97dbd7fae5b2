import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { plainText } from 'runs-service/execution/output/last-lines';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../runs-service/test/support/runs-service.ts';
import type { Model } from '../src/agent/model.ts';
import type { People } from '../src/agent/people.ts';
import { perform } from '../src/agent/perform.ts';
import type { DemoStep } from '../src/agent/understand.ts';

function project(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const nobody: People = { allow: async () => false, ask: async () => undefined };

async function said(
  step: DemoStep,
  folder: string,
  people = nobody,
  model?: Model,
): Promise<string> {
  const lines: string[] = [];
  await perform(step, folder, (line) => lines.push(line), people, model);
  return plainText(lines.join('\n'));
}

const notes = {
  'src/a.js': '// TODO: one\nconst a = 1;\n// FIXME(me): two\n',
  'b.md': 'todo lists\nTODO: three\n',
  'node_modules/x/index.js': '// TODO: not ours\n',
  'image.bin': 'TODO: \0',
};

describe('the demo agent', () => {
  it('asks its model as often as it should think', async () => {
    const step: DemoStep = { kind: 'think', about: 'rain', times: 2 };
    const model: Model = async (message) => `Re: ${message}`;
    const output = await said(step, project(notes), nobody, model);
    expect(output.match(/Re: Think about rain\./g)).toHaveLength(2);
    expect(output).toContain('Thought about rain, 2 times.');
    expect(await said(step, project(notes))).toContain('no language model');
  });

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

  it('deletes a file only if someone allows that', async () => {
    const folder = project(notes);
    const step = { kind: 'delete', file: 'b.md' } as const;
    expect(await said(step, folder)).toContain('Kept b.md');
    expect(readFileSync(join(folder, 'b.md'), 'utf8')).toContain('todo lists');
    const asked: string[] = [];
    const allow = async (...words: string[]) => asked.push(...words) > 0;
    expect(await said(step, folder, { ...nobody, allow })).toContain('Deleted b.md.');
    expect(asked).toEqual(['Delete b.md', 'rm b.md']);
    expect(existsSync(join(folder, 'b.md'))).toBe(false);
  });

  it('asks which file is meant, and other questions', async () => {
    const folder = project(notes);
    const which = { kind: 'choose-file', question: 'Which file?' } as const;
    const ask = async (_: string, choices?: readonly string[]) => choices?.[0] ?? 'blue';
    expect(await said(which, folder, { ...nobody, ask })).toContain('b.md has 2 lines.');
    expect(await said(which, folder)).toContain('Nobody answered in time.');
    const color = { kind: 'ask', question: 'Which color?' } as const;
    expect(await said(color, folder, { ...nobody, ask })).toContain('You answered: blue');
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
