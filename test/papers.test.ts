import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = new URL('../', import.meta.url);
const papersIn = (folder: string) =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`);
const papers = [
  ...['./', 'docs/', 'docs/decisions/', 'packages/runs-client/', 'packages/slack-stand-in/'],
].flatMap(papersIn);
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

  it('have a short README', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(200);
  });
});

describe('the decisions', () => {
  const folder = 'docs/decisions/';
  const decisions = readdirSync(new URL(folder, root)).filter((name) => /^\d/.test(name));

  it('are numbered without gaps or repetition', () => {
    const numbers = decisions.map((name) => Number(name.slice(0, 3))).toSorted((a, b) => a - b);
    expect(numbers).toEqual(decisions.map((_, index) => index + 1));
  });

  it.each(decisions)('%s has at most 30 lines, and its title is in the index', (name) => {
    const text = read(`${folder}${name}`);
    const title = /^# (.*)/.exec(text)?.[1];
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(title).not.toContain('?');
    expect(read(`${folder}README.md`)).toContain(`[${name.slice(0, 3)} ${title}](${name})`);
  });

  it('exist where the code names them', () => {
    const sources = [
      'src',
      'test',
      'packages/runs-client/src',
      'packages/slack-stand-in/src',
    ].flatMap((each) =>
      readdirSync(new URL(`${each}/`, root), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => `${each}/${name}`),
    );
    const named = sources.flatMap(
      (source) =>
        read(source)
          .match(/docs\/[\w/-]*\w\.md/g)
          ?.map((paper) => ({ source, paper })) ?? [],
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ paper }) => !existsSync(new URL(paper, root)))).toEqual([]);
  });
});
