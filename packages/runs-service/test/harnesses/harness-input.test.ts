import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readEnvironments } from '../../src/environments/read-environments.ts';
import { createRuns } from '../../src/store/runs.ts';
import { openTestDatabase } from '../support/databases.ts';
import { createRepository, startRunsService, temporaryFolder } from '../support/runs-service.ts';

/** Fake agent that saves its arguments and the settings that a real one would read. */
const standIn = `#!${process.execPath}
const { existsSync, readFileSync, readdirSync, statSync, writeFileSync } = require('node:fs');
const { env, argv } = process;
const file = argv.find((each) => each.startsWith('--mcp-config='))?.slice(13)
  ?? (env.CODEX_HOME ? env.CODEX_HOME + '/config.toml' : undefined)
  ?? (env.GEMINI_CLI_HOME ? env.GEMINI_CLI_HOME + '/.gemini/settings.json' : undefined);
const folder = file && file.slice(0, file.lastIndexOf('/'));
writeFileSync(SEEN, JSON.stringify({
  argv: argv.slice(2), input: readFileSync(0, 'utf8'), file,
  content: file ? readFileSync(file, 'utf8') : env.OPENCODE_CONFIG_CONTENT,
  mode: file && (statSync(file).mode & 0o777).toString(8),
  login: file && existsSync(folder + '/login') ? readFileSync(folder + '/login', 'utf8') : undefined,
  variables: env,
}));
`;

type Called = {
  argv: string[];
  input?: string;
  file?: string;
  content: string;
  mode?: string;
  login?: string;
  variables: Record<string, string>;
};
type Outcome = Called & { notes: (string | null)[]; message?: string };

const servers = {
  local: { command: 'npx', args: ['-y', 'a "b"'], env: { KEY: 'hunter2-of-env' } },
  'far off': { url: 'https://x.test/mcp', headers: { Authorization: 'hunter2-of-header' } },
  shared: { warp_id: 'w-1' },
};

/** Starts a service with one environment, whose agent is the stand-in for the harness. */
async function startHarness(harness: string, more = {}) {
  const bin = temporaryFolder();
  // Use a file, because secrets are masked in the output.
  const seen = join(bin, 'seen');
  const script = standIn.replace('SEEN', JSON.stringify(seen));
  writeFileSync(join(bin, harness), script, { mode: 0o755 });
  const file = join(bin, 'environments.yml');
  const repositories = [{ url: createRepository({ 'a.txt': '' }) }];
  const environment = { id: 'a', isolation: 'none', mcp: 'any', repositories, harness, ...more };
  writeFileSync(file, JSON.stringify({ environments: [environment] }));
  const db = await openTestDatabase('sqlite::memory:');
  onTestFinished(() => db.destroy());
  const service = await startRunsService({
    environments: readEnvironments(file),
    path: `${bin}:${process.env['PATH']}`,
    db,
  });
  return async (config: object = { mcp_servers: servers }): Promise<Outcome> => {
    const id = await service.begin({ prompt: 'do it', config });
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    const notes = (await createRuns(db).changesOf(id)).map(({ note }) => note);
    const message = run.status_message?.message;
    if (message !== undefined) return { message, notes, content: '', argv: [], variables: {} };
    const transcript = join(service.dataDir, 'transcripts', id);
    expect(readFileSync(join(transcript, 'changes.patch'), 'utf8')).toBe('');
    const called = JSON.parse(readFileSync(seen, 'utf8')) as Called;
    if (called.file) {
      expect(called.mode).toBe('600');
      expect(existsSync(called.file)).toBe(false);
      expect(called.file).toContain(join(service.dataDir, 'work', id, 'input'));
    }
    expect(called.argv.join(' ')).not.toContain('hunter2');
    return { ...called, content: called.content ?? '', notes };
  };
}
const callOf = async (harness: string, more = {}) => (await startHarness(harness, more))();

/** Writes the input of each harness with servers, and without any. */
async function withAndWithoutServers(harness: string) {
  const call = await startHarness(harness);
  const without = await call({});
  expect(without.content).toMatch(
    /^(|\[mcp_servers\]\n\[tools[^[]*|\{\s*"(mcp|mcpServers)": ?\{\}\s*\})$/,
  );
  expect(without.argv.join(' ')).not.toContain('mcp');
  return call();
}

describe('MCP servers of a run reach', () => {
  it('claude in a file, with their tools allowed', async () => {
    const { argv, content } = await withAndWithoutServers('claude');
    expect(argv).toContain('--allowedTools=mcp__local,mcp__far_off');
    expect(JSON.parse(content)).toEqual({
      mcpServers: {
        local: { type: 'stdio', ...servers.local },
        'far off': { type: 'http', ...servers['far off'] },
      },
    });
  });

  it('codex in config.toml in CODEX_HOME', async () => {
    const { content, argv } = await withAndWithoutServers('codex');
    const { local, 'far off': farOff } = servers;
    expect(parse(content)).toEqual({
      mcp_servers: {
        local: { ...local, default_tools_approval_mode: 'approve' },
        far_off: {
          url: farOff.url,
          http_headers: farOff.headers,
          default_tools_approval_mode: 'approve',
        },
      },
      tools: { update_plan: { enabled: true } },
    });
    expect(argv).toContain('exec');
  });

  it('gemini in user settings in GEMINI_CLI_HOME, trusted', async () => {
    const { content } = await withAndWithoutServers('gemini');
    expect(JSON.parse(content)).toEqual({
      mcpServers: {
        local: { ...servers.local, trust: true },
        'far off': {
          httpUrl: 'https://x.test/mcp',
          headers: servers['far off'].headers,
          trust: true,
        },
      },
    });
  });

  it('opencode in OPENCODE_CONFIG_CONTENT', async () => {
    const { content } = await withAndWithoutServers('opencode');
    expect(JSON.parse(content)).toEqual({
      mcp: {
        local: {
          type: 'local',
          command: ['npx', '-y', 'a "b"'],
          environment: servers.local.env,
          enabled: true,
        },
        'far off': {
          type: 'remote',
          url: 'https://x.test/mcp',
          headers: servers['far off'].headers,
          enabled: true,
        },
      },
    });
  });
});

/** Creates a home with settings for all four agents. Each has a server of the same name as in the request. */
function operatorHome(): string {
  const json = { mcpServers: { local: { command: 'own' }, docs: { command: 'docs' } } };
  const opencode =
    '{ // of the operator\n "model": "own", "mcp": { "local": { "type": "local", "command": ["own"] } }, }';
  return createRepository({
    '.claude.json': JSON.stringify(json),
    '.codex/login': 'logged in',
    '.codex/config.toml':
      'model = "own"\ndeveloper_instructions = "Be kind."\n[mcp_servers.local]\ncommand = "own"\n[mcp_servers.docs]\ncommand = "docs"\n[tools.update_plan]\nenabled = false\n',
    '.gemini/login': 'logged in',
    '.gemini/settings.json': `/* own */ ${JSON.stringify({ ...json, model: { name: 'own // 1' } })}`,
    'opencode.jsonc': opencode,
  });
}

const slow = `{ "a": 1,${' //'.repeat(100)}`;

describe('settings of the environment', () => {
  const OWN = { instructions: ['own.md'], mcp: { docs: { type: 'local', command: ['docs'] } } };

  /** Runs an agent whose operator has settings, and checks the promises that hold for all harnesses. */
  async function withSettings(harness: string, more = {}): Promise<Outcome> {
    const HOME = operatorHome();
    const before = readdirSync(HOME, { recursive: true });
    const variables = { HOME, OPENCODE_CONFIG: join(HOME, 'opencode.jsonc'), ...more };
    const called = await callOf(harness, { variables });
    expect(called.content).toMatch(/far.off/);
    expect(called.content).not.toContain('hunter2-of-env');
    expect(called.notes).toContain('Skipped MCP servers that the environment already has: local');
    expect(readdirSync(HOME, { recursive: true })).toEqual(before);
    return called;
  }

  it('of claude win over servers of the same name, and the timeline says so', async () => {
    await withSettings('claude');
  });

  it('of codex stay', async () => {
    const { content, login } = await withSettings('codex');
    expect(parse(content)).toMatchObject({
      model: 'own',
      developer_instructions: 'Be kind.',
      mcp_servers: { local: { command: 'own' }, docs: { command: 'docs' }, far_off: {} },
      tools: { update_plan: { enabled: false } },
    });
    expect(login).toBe('logged in');
  });

  it('of gemini stay: user settings are merged, system settings untouched', async () => {
    const called = await withSettings('gemini', {
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/etc/own.json',
    });
    expect(JSON.parse(called.content)).toMatchObject({
      model: { name: 'own // 1' },
      mcpServers: { local: { command: 'own' }, docs: { command: 'docs' }, 'far off': {} },
    });
    expect(called.login).toBe('logged in');
    expect(called.variables['GEMINI_CLI_SYSTEM_SETTINGS_PATH']).toBe('/etc/own.json');
  });

  it('of opencode stay, in files and in the variable', async () => {
    const called = await withSettings('opencode', { OPENCODE_CONFIG_CONTENT: JSON.stringify(OWN) });
    expect(called.variables['OPENCODE_CONFIG']).toMatch(/opencode\.jsonc$/);
    const content = JSON.parse(called.content);
    expect(content.instructions).toEqual(['own.md']);
    expect(Object.keys(content.mcp)).toEqual(['far off', 'docs']);
  });

  it.each([
    [
      'codex',
      '.codex/config.toml',
      (file: string) => execFileSync('mkfifo', [file]),
      "isn't a file",
    ],
    ['gemini', '.gemini/settings.json', (file: string) => mkdirSync(file), "isn't a file"],
    [
      'codex',
      '.codex/config.toml',
      (file: string) => writeFileSync(file, '#'.repeat(5e6)),
      "it's larger than",
    ],
    // A careless pattern would have exponentially many ways to read this text.
    ['gemini', '.gemini/settings.json', (file: string) => writeFileSync(file, slow), 'JSON'],
  ])(
    'of %s in %s fail the run if an agent left something else there (%#)',
    async (harness, name, leave, why) => {
      const HOME = createRepository({ [join(dirname(name), 'login')]: '' });
      leave(join(HOME, name));
      const { message } = await callOf(harness, { variables: { HOME } });
      expect(message).toContain(`Can't read the settings in ${join(HOME, name)}.`);
      expect(message).toContain(why);
    },
  );

  it.each([
    ['codex', '.codex/config.toml'],
    ['gemini', '.gemini/settings.json'],
    ['opencode', '.config/opencode/opencode.json'],
  ])("of %s that are invalid fail the run, with the file's name", async (harness, name) => {
    const HOME = createRepository({ [name]: '{ "a": ' });
    const { message } = await callOf(harness, { variables: { HOME } });
    expect(message).toContain(`Can't read the settings in ${join(HOME, name)}.`);
  });
});
