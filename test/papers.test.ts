import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = new URL('../', import.meta.url);
const papersIn = (folder: string) =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`);
const papers = [...papersIn('./'), ...papersIn('docs/'), ...papersIn('docs/decisions/')];
const read = (paper: string) => readFileSync(new URL(paper, root), 'utf8');

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')));

describe.each(papers)('%s', (paper) => {
  it('links only to files that exist', () => {
    const links = [...read(paper).matchAll(/\]\(([^)#\s]+)/g)].map((match) => match[1] ?? '');
    const inside = links.filter((link) => !/^[a-z]+:/.test(link));
    const dead = inside.filter(
      (link) => !existsSync(fileURLToPath(new URL(link, new URL(paper, root)))),
    );
    expect(dead).toEqual([]);
  });

  it('names only commands that exist', () => {
    const named = [...read(paper).matchAll(/npm run (?:--silent )?([a-z:-]+)/g)];
    expect(named.map((match) => match[1] ?? '').filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('the papers', () => {
  it('are read at all', () => {
    expect(papers).toContain('./README.md');
    expect(read('README.md').match(/\]\(docs\//g)?.length).toBeGreaterThan(3);
  });
});
