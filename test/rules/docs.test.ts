import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = new URL('../../', import.meta.url);
const texts = new Map<string, string>();

function read(file: string): string {
  const { pathname } = new URL(file, root);
  const text = texts.get(pathname) ?? readFileSync(new URL(file, root), 'utf8');
  texts.set(pathname, text);
  return text;
}

const folders = [
  ...['./', 'docs/', 'docs/decisions/', 'bench/', 'trials/'],
  ...readdirSync(new URL('packages/', root)).map((name) => `packages/${name}/`),
];
const docs = folders.flatMap((folder) =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name}`),
);
const sourceFiles = ['src', 'test', 'packages', 'bench', 'trials'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/(node_modules|dist)\//.test(name))
    .map((name) => `${folder}/${name}`),
);
/** Ends of paths by which the docs can name a file. */
const sourceNames = new Set(
  sourceFiles.flatMap((file) => {
    const parts = file.split('/');
    return parts.map((_, at) => parts.slice(at).join('/'));
  }),
);

/** Returns the anchors that GitHub makes of headings. */
const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

/** Returns matches in the docs that `isRight` doesn't accept, each with its file. */
function findWrong(pattern: RegExp, isRight: (file: string, ...groups: string[]) => boolean) {
  return docs.flatMap((file) =>
    [...read(file).matchAll(pattern)]
      .filter(([, ...groups]) => !isRight(file, ...groups))
      .map(([whole]) => `${file}: ${whole}`),
  );
}

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')));

describe('the docs', () => {
  it('are found by these tests', () => {
    expect(docs).toContain('./README.md');
    expect(read('README.md').match(/\]\(docs\//g)?.length).toBeGreaterThan(3);
  });

  it('link only to files that exist', () => {
    const wrong = findWrong(
      /\]\(([^)#\s]+)/g,
      (file, link = '') =>
        /^[a-z]+:/.test(link) || existsSync(fileURLToPath(new URL(link, new URL(file, root)))),
    );
    expect(wrong).toEqual([]);
  });

  it('link only to headings that exist', () => {
    const wrong = findWrong(/\]\(([^)#\s:]*)#([^)\s]+)\)/g, (file, target = '', heading = '') =>
      headingsOf(read(new URL(target, new URL(file, root)).href)).includes(heading),
    );
    expect(wrong).toEqual([]);
  });

  it('name only files that exist', () => {
    const named = /`((?:[\w-]+\/)*[\w-]+(?:\.[a-z]+)*\.tsx?)`/g;
    // `x.test.ts` stands for any test.
    const isRight = (_: string, path = '') => sourceNames.has(path) || path.startsWith('x.');
    expect(findWrong(named, isRight)).toEqual([]);
  });

  it('mention only commands that exist', () => {
    const named = /npm run (?:--silent )?([a-z:-]+)/g;
    expect(findWrong(named, (_, name = '') => name in scripts)).toEqual([]);
  });

  it('show every picture', () => {
    const pictures = readdirSync(new URL('docs/images/', root));
    const all = docs.map(read).join('\n');
    expect(pictures.filter((name) => !all.includes(`images/${name}`))).toEqual([]);
  });

  it('have a short README that links to every page', () => {
    const readme = read('README.md');
    const pages = docs.filter((file) => /^docs\/[^/]+$/.test(file));
    expect(pages.filter((file) => !readme.includes(`](${file})`))).toEqual([]);
    expect(readme.split('\n').length).toBeLessThanOrEqual(125);
  });

  it('exist if the code links to them', () => {
    const named = sourceFiles.flatMap(
      (source) =>
        read(source)
          .match(/docs\/[\w/-]*\w\.md/g)
          ?.map((file) => ({ source, file })) ?? [],
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ file }) => !existsSync(new URL(file, root)))).toEqual([]);
  });
});

describe('the decisions', () => {
  const folder = 'docs/decisions/';
  const decisions = readdirSync(new URL(folder, root)).filter((name) => /^\d/.test(name));

  it('are numbered without gaps or repetition', () => {
    const numbers = decisions.map((name) => Number(name.slice(0, 3))).toSorted((a, b) => a - b);
    expect(numbers).toEqual(decisions.map((_, index) => index + 1));
  });

  it('have at most 30 lines, and titles without questions that are in the index', () => {
    const index = read(`${folder}README.md`);
    const wrong = decisions.filter((name) => {
      const text = read(`${folder}${name}`);
      const title = /^# (.*)/.exec(text)?.[1] ?? '?';
      const isListed = index.includes(`[${name.slice(0, 3)} ${title}](${name})`);
      return text.trimEnd().split('\n').length > 30 || title.includes('?') || !isListed;
    });
    expect(wrong).toEqual([]);
  });
});
