import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../src/', import.meta.url));

/** Which rooms a room may import from. A room is a folder of `src/`, or a file that lies directly in it. */
const arrows: Record<string, readonly string[]> = {
  main: ['bot', 'config', 'lib'],
  demo: ['bot', 'config', 'lib', 'local-workspace', 'runs-service', 'store'],
  bot: ['config', 'health', 'lib', 'store', 'runs-api', 'runs-service', 'following', 'slack'],
  config: ['lib'],
  health: ['lib'],
  'print-manifest': ['lib', 'manifest'],
  manifest: ['lib'],
  'serve-runs': ['config', 'lib', 'runs-service', 'store'],
  slack: ['following', 'store', 'runs-api', 'lib'],
  following: ['store', 'runs-api', 'lib'],
  'runs-service': ['runs-api', 'store', 'lib', 'config'],
  'runs-api': ['lib'],
  store: ['runs-api', 'lib'],
  'local-workspace': ['lib'],
  lib: [],
};

/** Which rooms or files may import a package; packages that are not listed are free. */
const packages: [pattern: RegExp, allowed: RegExp][] = [
  [/^@slack\//, /^slack\//],
  [/^undici$/, /^runs-api\/transport\.ts$/],
  [/^(hono|@hono\/)/, /^(runs-service|local-workspace)\//],
  [/^node:child_process$/, /^runs-service\//],
  [/^(kysely|libsql|pg)$/, /^store\//],
  [/^ws$/, /^local-workspace\//],
];

type Import = { file: string; target: string };

function readImports(): Import[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  return files.flatMap((file) => {
    const text = readFileSync(src + file, 'utf8');
    const found = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'([^']+)'/g);
    return [...found].map((match) => ({ file, target: match[1] ?? '' }));
  });
}

const imports = readImports();
const inside = imports.filter(({ target }) => target.startsWith('.'));

const resolve = ({ file, target }: Import) => new URL(target, `file:///${file}`).pathname.slice(1);
const roomOf = (path: string) => path.split('/')[0]?.replace(/\.tsx?$/, '') ?? '';
const featureOf = (path: string) => (path.split('/').length > 2 ? path.split('/')[1] : undefined);

describe('the arrows between the rooms', () => {
  it('reads imports at all', () => {
    expect(inside.length).toBeGreaterThan(5);
  });

  it('point only where the house allows', () => {
    const wrong = inside.filter((each) => {
      const [from, to] = [roomOf(each.file), roomOf(resolve(each))];
      return from !== to && !arrows[from]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it('never lead from one Slack feature into another', () => {
    const wrong = inside.filter((each) => {
      if (roomOf(each.file) !== 'slack' || roomOf(resolve(each)) !== 'slack') return false;
      const [from, to] = [featureOf(each.file), featureOf(resolve(each))];
      return from !== undefined && to !== undefined && from !== to;
    });
    expect(wrong).toEqual([]);
  });

  it('keep each package in the room that wraps it', () => {
    const wrong = imports.filter(({ file, target }) =>
      packages.some(([pattern, allowed]) => pattern.test(target) && !allowed.test(file)),
    );
    expect(wrong).toEqual([]);
  });
});
