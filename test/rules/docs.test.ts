import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = new URL('../../', import.meta.url);
const docsIn = (folder: string) =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`);
const folders = ['./', 'docs/', 'docs/decisions/', 'bench/', 'trials/'];
const packageFolders = ['packages/runs-client/', 'packages/slack-stand-in/'];
const docs = [...folders, ...packageFolders].flatMap(docsIn);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
/** As GitHub writes them in addresses. */
const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
const sourceFiles = ['src/', 'test/', 'packages/', 'bench/', 'trials/'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/(node_modules|dist)\//.test(name))
    .map((name) => `${folder}${name}`),
);

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')));

describe.each(docs)('%s', (file) => {
  it('links only to files that exist', () => {
    const links = [...read(file).matchAll(/\]\(([^)#\s]+)/g)].map((match) => match[1] ?? '');
    const inside = links.filter((link) => !/^[a-z]+:/.test(link));
    const dead = inside.filter(
      (link) => !existsSync(fileURLToPath(new URL(link, new URL(file, root)))),
    );
    expect(dead).toEqual([]);
  });

  it('links only to headings that exist', () => {
    const links = [...read(file).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)];
    const dead = links.filter(([, target = '', heading = '']) => {
      const page = new URL(target, new URL(file, root));
      return !headingsOf(readFileSync(page, 'utf8')).includes(heading);
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });

  it('names only files that exist', () => {
    const named = [...read(file).matchAll(/`((?:[\w-]+\/)*[\w-]+(?:\.test)?\.tsx?)`/g)];
    const paths = named.map(([, path = '']) => path);
    expect(
      paths.filter((path) => !sourceFiles.some((each) => `/${each}`.endsWith(`/${path}`))),
    ).toEqual([]);
  });

  it('mentions only commands that exist', () => {
    const named = [...read(file).matchAll(/npm run (?:--silent )?([a-z:-]+)/g)];
    expect(named.map((match) => match[1] ?? '').filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('the docs', () => {
  it('are found by these tests', () => {
    expect(docs).toContain('./README.md');
    expect(read('README.md').match(/\]\(docs\//g)?.length).toBeGreaterThan(3);
  });

  it('show every picture', () => {
    const pictures = readdirSync(new URL('docs/images/', root));
    const texts = docs.map(read).join('\n');
    expect(pictures.filter((name) => !texts.includes(`images/${name})`))).toEqual([]);
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

  it('exist if the code links to them', () => {
    const sources = ['src', 'packages', 'test'].flatMap((each) =>
      readdirSync(new URL(`${each}/`, root), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name) && !/(node_modules|dist)\//.test(name))
        .map((name) => `${each}/${name}`),
    );
    const named = sources.flatMap(
      (source) =>
        read(source)
          .match(/docs\/[\w/-]*\w\.md/g)
          ?.map((file) => ({ source, file })) ?? [],
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ file }) => !existsSync(new URL(file, root)))).toEqual([]);
  });
});
