import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Which rooms a room may import from. A room is a folder of `src/`, a file that lies directly in it, or a package. */
const arrows: Record<string, readonly string[]> = {
  main: ['bot', 'config', 'lib'],
  demo: ['bot', 'config', 'lib', 'slack-stand-in', 'runs-service', 'store'],
  bot: ['config', 'health', 'lib', 'store', 'runs-client', 'runs-service', 'following', 'slack'],
  config: ['lib'],
  health: ['lib'],
  'print-manifest': ['lib', 'manifest'],
  manifest: ['lib'],
  'serve-runs': ['config', 'lib', 'runs-service', 'store'],
  slack: ['config', 'following', 'store', 'runs-client', 'lib'],
  following: ['store', 'runs-client', 'lib'],
  'runs-service': ['runs-client', 'store', 'lib', 'config'],
  store: ['runs-client', 'lib'],
  lib: [],
  'runs-client': [],
  'slack-stand-in': [],
};

/** What Slack's features share. Every other folder of `src/slack/` is a feature. */
const sharedSlackRooms = new Set([
  ...['connection', 'posting', 'text', 'secrets', 'configuration', 'people', 'runs'],
]);

/** Rooms of the runs service, each with the rooms that it may import from. */
const runsServiceArrows: Record<string, readonly string[]> = {
  harnesses: [],
  environments: ['harnesses'],
  execution: ['environments', 'harnesses'],
  queue: ['execution', 'environments', 'harnesses'],
  api: ['queue', 'execution', 'environments', 'harnesses'],
  pages: ['api', 'queue', 'execution', 'environments', 'harnesses'],
  demo: ['execution', 'environments'],
};

/** Which files may import a package; packages that are not listed are free. */
const packages: [pattern: RegExp, allowed: RegExp][] = [
  [/^@slack\//, /^src\/slack\//],
  [/^undici$/, /^packages\/runs-client\/src\/transport\.ts$/],
  [/^(hono|@hono\/)/, /^(src\/runs-service\/|packages\/slack-stand-in\/)/],
  [/^node:child_process$/, /^src\/runs-service\/execution\//],
  [/^(kysely|libsql|pg)$/, /^src\/store\//],
  [/^ws$/, /^packages\/slack-stand-in\//],
];

type Import = { file: string; target: string };

const sourceFolders = ['src', 'packages/runs-client/src', 'packages/slack-stand-in/src'];

const files = sourceFolders.flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`),
);

const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(root + file, 'utf8');
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'([^']+)'/g);
  return [...found].map((match) => ({ file, target: match[1] ?? '' }));
});

/** The file that an import leads to; undefined for a package that isn't ours. */
function resolve({ file, target }: Import): string | undefined {
  if (target.startsWith('.')) return new URL(target, `file:///${file}`).pathname.slice(1);
  const [name = '', ...path] = target.split('/');
  if (arrows[name] === undefined) return undefined;
  return `packages/${name}/src/${path.length === 0 ? 'index' : path.join('/')}.ts`;
}

// The demo's sample project has imports of its own, which are only text here.
const ours = new Set(files);
const inside = imports.flatMap((each) => {
  const to = resolve(each);
  return to === undefined || !ours.has(to) ? [] : [{ from: each.file, to }];
});

function roomOf(path: string): string {
  const [top, second = ''] = path.split('/');
  return top === 'packages' ? second : second.replace(/\.tsx?$/, '');
}

const slackRoomOf = (path: string) => /^src\/slack\/([^/]+)\//.exec(path)?.[1];
const runsServiceRoomOf = (path: string) => /^src\/runs-service\/([^/]+)\//.exec(path)?.[1];

describe('the arrows between the rooms', () => {
  it('reads imports at all', () => {
    expect(inside.length).toBeGreaterThan(500);
  });

  it('point only where the house allows', () => {
    const wrong = inside.filter(({ from, to }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      return room !== other && !arrows[room]?.includes(other);
    });
    expect(wrong).toEqual([]);
  });

  it('never lead from one Slack feature into another, nor from a shared room into a feature', () => {
    const wrong = inside.filter(({ from, to }) => {
      const [room, other] = [slackRoomOf(from), slackRoomOf(to)];
      if (room === undefined || other === undefined || room === other) return false;
      return !sharedSlackRooms.has(other);
    });
    expect(wrong).toEqual([]);
  });

  it('go one way between the rooms of the runs service', () => {
    const wrong = inside.filter(({ from, to }) => {
      const [room, other] = [runsServiceRoomOf(from), runsServiceRoomOf(to)];
      if (room === undefined || other === undefined || room === other) return false;
      return !runsServiceArrows[room]?.includes(other);
    });
    expect(wrong).toEqual([]);
  });

  it('never run in a circle, for types neither', () => {
    expect(findCircles()).toEqual([]);
  });

  it('keep each package in the room that wraps it', () => {
    const wrong = imports.filter(({ file, target }) =>
      packages.some(([pattern, allowed]) => pattern.test(target) && !allowed.test(file)),
    );
    expect(wrong).toEqual([]);
  });
});

it('leaves nothing flat in src/slack but the app and its routes', () => {
  const flat = files.filter((file) => /^src\/slack\/[^/]+$/.test(file));
  expect(flat.sort()).toEqual(['src/slack/app.ts', 'src/slack/routes.ts']);
});

it('leaves nothing flat in src/runs-service but the service and its configuration', () => {
  const flat = files.filter((file) => /^src\/runs-service\/[^/]+$/.test(file));
  expect(flat.sort()).toEqual([
    'src/runs-service/configured-service.ts',
    'src/runs-service/runs-service.ts',
  ]);
});

/** One circle for each file from which one is entered, as a list of files. */
function findCircles(): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of inside) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const circles: string[][] = [];
  const visit = (file: string, path: readonly string[]) => {
    const seenAt = path.indexOf(file);
    if (seenAt >= 0) circles.push(path.slice(seenAt));
    if (seenAt >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return circles;
}
