import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Rooms that a room can import from. A room is a folder directly in `src/`, or a package. */
const arrows: Record<string, readonly string[]> = {
  base: [],
  'runs-client': [],
  'slack-stand-in': [],
  'runs-service': ['base', 'runs-client'],
  demo: [
    ...['base', 'runs-client', 'runs-service', 'slack-stand-in'],
    ...['automations', 'bot', 'store'],
  ],
  bin: [
    ...['base', 'audit', 'automations', 'bot', 'check-slack', 'config', 'doctor', 'manifest'],
    ...['policy', 'setup', 'store', 'runs-service'],
  ],
  bot: [
    ...['base', 'runs-client', 'runs-service'],
    ...['audit', 'automations', 'config', 'doctor', 'following', 'metrics', 'outbox', 'policy'],
    ...['slack', 'store'],
  ],
  config: ['base', 'runs-client', 'runs-service'],
  audit: ['base', 'store'],
  manifest: ['base'],
  metrics: ['base', 'store'],
  'check-slack': ['base', 'bot', 'config', 'runs-service', 'slack', 'store'],
  setup: ['base', 'config', 'doctor', 'runs-client', 'runs-service'],
  doctor: ['base', 'config', 'policy', 'runs-client', 'runs-service', 'store'],
  slack: [
    ...['base', 'runs-client'],
    ...['automations', 'config', 'following', 'inbox', 'outbox', 'policy', 'requests', 'store'],
  ],
  policy: ['base', 'runs-client', 'automations'],
  inbox: ['base', 'store'],
  following: ['base', 'runs-client', 'requests', 'store'],
  outbox: ['base', 'store'],
  store: ['base', 'runs-client', 'automations', 'requests'],
  automations: ['base', 'runs-client'],
  requests: ['runs-client'],
};

/**
 * Files of the runs service that the bot can import, each with its importers. Everything else goes through `runs-client`, also
 * when the service is embedded.
 */
const serviceEntries: Record<string, readonly string[]> = {
  // The service's commands are commands of `slash-agent`.
  'commands/serve': ['bin/commands'],
  'commands/try': ['bin/commands'],
  'commands/usage': ['bin/commands'],
  'commands/run-one': ['bin/commands'],
  'configured-service': ['bot/embedded-service'],
  'artifacts/remove-runs': ['bot/embedded-service'],
  // The service's settings are also settings of the bot.
  'config/runs-service-config': ['check-slack/started-bot', 'config/bot-config'],
  'config/variables': ['config/variables'],
  'environments/environments': ['config/bot-config'],
  // Rotation, backups and a person's data include the service's tables.
  'store/tables': [
    'bin/keys',
    'bin/people',
    'bin/restore',
    'bot/open-store',
    'doctor/run-diagnostics',
  ],
  'store/person-data': ['bin/people'],
  // The doctor and setup check environments with these.
  'doctor/environment-checks': ['doctor/run-diagnostics'],
  'execution/files/run-files': ['setup/ask-for-agents'],
  'execution/git/reach-repository': ['setup/ask-for-agents'],
};

/** Rooms that the Slack features share, lowest layer first. All other folders of `src/slack/` are features. */
const slackLayers = [
  ...['text', 'posting', 'connection', 'files', 'people', 'configuration', 'runs'],
];

/** Rooms of the runs service, each with the rooms that it may import from. */
const runsServiceArrows: Record<string, readonly string[]> = {
  config: [],
  metrics: [],
  store: [],
  harnesses: ['store'],
  environments: ['harnesses'],
  sandbox: ['environments', 'harnesses'],
  execution: ['sandbox', 'environments', 'harnesses', 'store'],
  gateway: ['execution', 'sandbox', 'environments', 'harnesses', 'store'],
  queue: ['gateway', 'execution', 'sandbox', 'environments', 'harnesses', 'store'],
  artifacts: ['config', 'queue', 'execution', 'sandbox', 'store'],
  publishing: ['queue', 'execution', 'sandbox', 'environments', 'store'],
  api: [
    ...['artifacts', 'publishing', 'queue', 'gateway', 'execution', 'sandbox', 'environments'],
    ...['harnesses', 'store'],
  ],
  remote: [
    ...['config', 'api', 'artifacts', 'queue', 'gateway', 'execution', 'sandbox', 'environments'],
    ...['harnesses', 'store'],
  ],
  pages: ['api', 'artifacts', 'queue', 'execution', 'environments', 'harnesses', 'store'],
  doctor: ['config', 'remote', 'execution', 'sandbox', 'environments', 'harnesses'],
  // The files directly in the folder are the wiring, and the commands use it.
  commands: ['config', 'api', 'artifacts', 'remote', 'store'],
};

/** The files that can import a package. Packages that aren't listed can be imported anywhere. */
const packages: [pattern: RegExp, allowed: RegExp][] = [
  [/^@slack\//, /^src\/slack\//],
  [
    /^undici$/,
    /^packages\/(runs-client\/src\/(http\/transport|shared-dispatcher|runs\/artifact-calls)|runs-service\/src\/gateway\/[\w-]+)\.ts$/,
  ],
  [/^(hono|@hono\/)/, /^packages\/(runs-service|demo|slack-stand-in)\//],
  [/^node:child_process$/, /^packages\/runs-service\/src\/sandbox\//],
  [/^openid-client$/, /^packages\/runs-service\/src\/pages\/slack-sign-in\.ts$/],
  [
    /^kysely$/,
    /^(src\/store|packages\/base\/src\/(database|encryption)|packages\/runs-service\/src\/store)\//,
  ],
  [/^(libsql|pg)$/, /^packages\/base\/src\/database\//],
  [/^croner$/, /^packages\/base\/src\/schedule\//],
  [/^@octokit\//, /^packages\/runs-service\/src\/publishing\/hosts\//],
  [/^@aws-sdk\//, /^packages\/runs-service\/src\/artifacts\//],
  [/^prom-client$/, /^packages\/base\/src\/metrics\//],
  [/^@kubernetes\//, /^packages\/runs-service\/src\/remote\/kubernetes\//],
  [/^ws$/, /^packages\/slack-stand-in\//],
];

type Import = { file: string; target: string };

const sourceFolders = [
  'src',
  ...['base', 'demo', 'runs-client', 'runs-service', 'slack-stand-in'].map(
    (name) => `packages/${name}/src`,
  ),
];

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

/** Returns the imported file. Undefined for external packages. */
function resolve({ file, target }: Import): string | undefined {
  if (target.startsWith('.')) return new URL(target, `file:///${file}`).pathname.slice(1);
  const [name = '', ...path] = target.split('/');
  if (name === 'slash-agent') return `src/${path.join('/')}.ts`;
  if (arrows[name] === undefined) return undefined;
  return `packages/${name}/src/${path.length === 0 ? 'index' : path.join('/')}.ts`;
}

// Leave out imports of the demo's sample project, because they're only text here.
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
const runsServiceRoomOf = (path: string) =>
  /^packages\/runs-service\/src\/([^/]+)\//.exec(path)?.[1];

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

  it('lead down the layers of Slack: from a feature to a shared room, and from that to a lower one', () => {
    const wrong = inside.filter(({ from, to }) => {
      const [room, other] = [slackRoomOf(from), slackRoomOf(to)];
      if (room === undefined || other === undefined || room === other) return false;
      const [layer, lower] = [slackLayers.indexOf(room), slackLayers.indexOf(other)];
      return lower < 0 || (layer >= 0 && lower > layer);
    });
    expect(wrong).toEqual([]);
  });

  it('lead from the bot into the runs service only where it takes part', () => {
    const entered = inside
      .filter(({ from, to }) => from.startsWith('src/') && to.startsWith('packages/runs-service/'))
      .map(({ from, to }) => [
        to.replace('packages/runs-service/src/', '').replace('.ts', ''),
        from.replace('src/', '').replace('.ts', ''),
      ]);
    const listed = Object.entries(serviceEntries).flatMap(([entry, users]) =>
      users.map((user) => [entry, user]),
    );
    expect(entered.toSorted()).toEqual(listed.toSorted());
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
  /** Files that work with repositories of the service, transcripts or the demo's repositories, which no agent can write to. */
  const owners = [
    'execution/git/checkout',
    'execution/git/mirrors',
    'execution/git/reach-repository',
    'execution/files/prune-folder',
    'try-command',
    // Transcripts are files of the service. No agent can write there.
    'artifacts/remove-runs',
    'publishing/git/publish-git',
    'publishing/branch-work',
    'publishing/publisher',
    // The operator's commands, which no agent wrote.
    'remote/command-runner',
    // Files received from a run that aren't in their final folder yet.
    'remote/dispatch/received-files',
    // After the run has ended, and what its agent wrote was deleted.
    'remote/run-one/run-one',
    // The empty folder of a check.
    'doctor/environment-checks',
  ];
  const inDemo = ['create-demo-environments', 'git-host/repository'];
  const isOwner = (file: string) =>
    owners.some((name) => file === `packages/runs-service/src/${name}.ts`) ||
    inDemo.some((name) => file === `packages/demo/src/${name}.ts`);

  it('is reached through sandboxes only: nothing else runs commands with the rights of the service', () => {
    const wrong = inside.filter(
      ({ from, to }) =>
        /sandbox\/(run-on-host|process-group|bubblewrap|container)\.ts$/.test(to) &&
        !from.startsWith('packages/runs-service/src/sandbox/') &&
        !isOwner(from) &&
        // Only the type of a command's end.
        from !== 'packages/runs-service/src/execution/run-end.ts',
    );
    expect(wrong).toEqual([]);
  });

  it('is deleted through sandboxes only', () => {
    const deleting = files.filter(
      (file) =>
        /^packages\/(runs-service|demo)\/src\//.test(file) &&
        /\brm(Sync)?\([^;]*recursive: true/.test(textOf(file)),
    );
    expect(deleting.filter((file) => !isOwner(file))).toEqual([]);
  });
});

it('leads from clicks to runs through one check', () => {
  /** Files that search their own runs, work without a click, or read a run again after that check. */
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
  const features = [
    'automation-features',
    'automation-form-features',
    'run-features',
    'settings-features',
    'start-features',
  ];
  const wiring = ['app', 'posts', 'routes', 'slack', 'workspace', 'workspace-runs', ...features];
  expect(flat.sort()).toEqual(wiring.map((name) => `src/slack/${name}.ts`).sort());
});

/** Returns one import cycle, as a list of files, for each file that leads into one. */
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
