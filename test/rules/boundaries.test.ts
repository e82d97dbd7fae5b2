import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The rooms that a room can import from. A room is a folder or file directly in `src/`, or a package. */
const arrows: Record<string, readonly string[]> = {
  'slash-agent': ['commands', 'lib'],
  commands: [
    ...['audit', 'bot', 'check-slack', 'config', 'doctor', 'lib', 'manifest', 'metrics', 'policy'],
    ...['runs-service', 'setup', 'slack-stand-in', 'store'],
  ],
  bot: [
    'audit',
    'background-work',
    'config',
    'doctor',
    'health',
    'lib',
    'metrics',
    'policy',
    'store',
    'runs-client',
    'runs-service',
    'runs-api',
    'retention',
    'slack',
  ],
  'runs-api': ['config', 'following', 'lib', 'metrics', 'runs-service', 'slack', 'store'],
  'background-work': ['following', 'lib', 'metrics', 'outbox', 'slack', 'store'],
  config: ['runs-client', 'lib'],
  audit: ['store', 'lib'],
  health: ['lib'],
  manifest: ['lib'],
  metrics: ['store', 'lib'],
  retention: ['store', 'lib'],
  'check-slack': ['bot', 'config', 'lib', 'runs-service', 'slack', 'store'],
  setup: ['config', 'doctor', 'lib', 'runs-client', 'runs-service'],
  doctor: ['config', 'lib', 'policy', 'store', 'runs-client', 'runs-service'],
  slack: [
    ...['config', 'following', 'inbox', 'outbox', 'policy', 'requests', 'store'],
    ...['runs-client', 'lib'],
  ],
  policy: ['runs-client', 'lib'],
  inbox: ['store', 'lib'],
  following: ['requests', 'store', 'runs-client', 'lib'],
  outbox: ['store', 'lib'],
  'runs-service': ['runs-client', 'store', 'lib', 'config'],
  store: ['requests', 'runs-client', 'lib'],
  requests: ['runs-client'],
  lib: [],
  'runs-client': [],
  'slack-stand-in': [],
};

/** Rooms that the Slack features share, lowest floor first. All other folders of `src/slack/` are features. */
const slackFloors = [
  ...['text', 'posting', 'connection', 'files', 'people', 'configuration', 'runs'],
];

/** Rooms of the runs service, each with the rooms that it may import from. */
const runsServiceArrows: Record<string, readonly string[]> = {
  harnesses: [],
  environments: ['harnesses'],
  isolation: ['environments', 'harnesses'],
  execution: ['isolation', 'environments', 'harnesses'],
  artifacts: ['queue', 'execution', 'isolation'],
  publishing: ['queue', 'execution', 'isolation', 'environments'],
  engines: ['execution', 'isolation', 'environments', 'harnesses'],
  protocol: ['environments', 'harnesses'],
  dispatch: [
    ...['api', 'artifacts', 'queue', 'engines', 'protocol'],
    ...['execution', 'environments', 'harnesses'],
  ],
  'run-one': ['artifacts', 'protocol', 'execution', 'isolation', 'environments', 'harnesses'],
  queue: ['execution', 'isolation', 'environments', 'harnesses'],
  api: ['artifacts', 'publishing', 'queue', 'execution', 'isolation', 'environments', 'harnesses'],
  pages: ['api', 'artifacts', 'queue', 'execution', 'environments', 'harnesses'],
  demo: ['execution', 'isolation', 'environments', 'api', 'pages'],
};

/** The files that can import a package. Packages that aren't listed can be imported anywhere. */
const packages: [pattern: RegExp, allowed: RegExp][] = [
  [/^@slack\//, /^src\/slack\//],
  [
    /^undici$/,
    /^packages\/runs-client\/src\/(http\/transport|shared-dispatcher|runs\/artifact-calls)\.ts$/,
  ],
  [/^(hono|@hono\/)/, /^(src\/runs-service\/|packages\/slack-stand-in\/)/],
  [/^node:child_process$/, /^src\/runs-service\/isolation\//],
  [/^openid-client$/, /^src\/runs-service\/pages\/sign-in\//],
  [/^(kysely|libsql|pg)$/, /^src\/store\//],
  [/^@octokit\//, /^src\/runs-service\/publishing\/hosts\//],
  [/^@aws-sdk\//, /^src\/runs-service\/artifacts\//],
  [/^prom-client$/, /^src\/metrics\//],
  [/^@kubernetes\//, /^src\/runs-service\/engines\/kubernetes\//],
  [/^ws$/, /^packages\/slack-stand-in\//],
];

type Import = { file: string; target: string };

const sourceFolders = ['src', 'packages/runs-client/src', 'packages/slack-stand-in/src'];

const files = sourceFolders.flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`),
);

const texts = new Map(files.map((file) => [file, readFileSync(root + file, 'utf8')]));
const textOf = (file: string) => texts.get(file) ?? '';

const imports: Import[] = files.flatMap((file) => {
  const found = textOf(file).matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'([^']+)'/g);
  return [...found].map((match) => ({ file, target: match[1] ?? '' }));
});

/** The imported file; undefined for external packages. */
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

describe('imports between rooms', () => {
  it('are found by these tests', () => {
    expect(inside.length).toBeGreaterThan(500);
  });

  it('follow the list of allowed rooms', () => {
    const wrong = inside.filter(({ from, to }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      return room !== other && !arrows[room]?.includes(other);
    });
    expect(wrong).toEqual([]);
  });

  it('lead down the floors of Slack: from a feature to a shared room, and from that to a lower one', () => {
    const wrong = inside.filter(({ from, to }) => {
      const [room, other] = [slackRoomOf(from), slackRoomOf(to)];
      if (room === undefined || other === undefined || room === other) return false;
      const [floor, lower] = [slackFloors.indexOf(room), slackFloors.indexOf(other)];
      return lower < 0 || (floor >= 0 && lower > floor);
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

  it('never form a circle, not even for types', () => {
    expect(findCircles()).toEqual([]);
  });

  it('use each restricted package only where it is allowed', () => {
    const wrong = imports.filter(({ file, target }) =>
      packages.some(([pattern, allowed]) => pattern.test(target) && !allowed.test(file)),
    );
    expect(wrong).toEqual([]);
  });
});

describe('what agents wrote', () => {
  /** They work with repositories of the service, transcripts and the demo's repositories, which no agent can write to. */
  const owners = [
    'execution/git/checkout',
    'execution/git/mirrors',
    'execution/git/reach-repository',
    'execution/files/prune-folder',
    'try-command',
    'demo/create-demo-environments',
    // Transcripts are files of the service; no agent can write there.
    'artifacts/remove-runs',
    'demo/git-host/repository',
    'publishing/git/publish-git',
    'publishing/branch-work',
    'publishing/publisher',
    // The operator's commands, which no agent wrote.
    'engines/command-engine',
    // What came from a run and isn't in its place yet.
    'dispatch/received-files',
    // After the run has ended, and what its agent wrote was deleted.
    'run-one/run-one',
  ];
  const isOwner = (file: string) =>
    owners.some((name) => file === `packages/runs-service/src/${name}.ts`);

  it('is reached through walls only: nothing else runs commands with the rights of the service', () => {
    const wrong = inside.filter(
      ({ from, to }) =>
        /isolation\/(run-on-host|process-group|none|bubblewrap|container)\.ts$/.test(to) &&
        !from.startsWith('packages/runs-service/src/sandbox/') &&
        !isOwner(from) &&
        // Only the type of a command's end.
        from !== 'packages/runs-service/src/execution/run-end.ts',
    );
    expect(wrong).toEqual([]);
  });

  it('is deleted through walls only', () => {
    const deleting = files.filter(
      (file) =>
        file.startsWith('packages/runs-service/src/') &&
        /\brm(Sync)?\([^;]*recursive: true/.test(textOf(file)),
    );
    expect(deleting.filter((file) => !isOwner(file))).toEqual([]);
  });
});

it('leads from clicks to runs through one check', () => {
  /** They look for what they started themselves, work without a click, or read again what that check has let through. */
  const others = [
    'runs/reading/run-access',
    'runs/reading/run-of-message',
    'mention/handle-mention',
    'replies/handle-reply',
    'pull-request/register-pull-request',
    'run-again/run-again',
    'runs/acting/cancel-run',
    'session-link/register-session-link',
    'start-run/check-form',
    'start-run/submit-form',
    'workflow-step/workflow-step',
  ];
  const finding = files.filter(
    (file) => file.startsWith('src/slack/') && /requests\.find\(/.test(textOf(file)),
  );
  expect(finding.sort()).toEqual(others.map((name) => `src/slack/${name}.ts`).sort());
});

it('allows only the wiring and the routes directly in src/slack', () => {
  const flat = files.filter((file) => /^src\/slack\/[^/]+$/.test(file));
  const wiring = ['app', 'posts', 'routes', 'slack', 'workspace'];
  expect(flat.sort()).toEqual(wiring.map((name) => `src/slack/${name}.ts`));
});

/** One circle, as a list of files, for each file that leads into one. */
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
