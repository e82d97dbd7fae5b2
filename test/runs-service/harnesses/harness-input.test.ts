import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readEnvironments } from '../../../src/runs-service/environments/read-environments.ts';
import { createServiceRuns } from '../../../src/store/service/runs/service-runs.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { createRepository, startRunsService, temporaryFolder } from '../../support/runs-service.ts';

/** A fake agent that saves its arguments, and the settings that it would read. */
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

async function callOf(
  harness: string,
  config: object = { mcp_servers: servers },
  more = {},
): Promise<Outcome> {
  const bin = temporaryFolder();
  // A file, because the output masks secrets.
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
  const id = await service.begin({ prompt: 'do it', config });
  const run = await service.until(id, 'SUCCEEDED', 'FAILED');
  const notes = (await createServiceRuns(db).changesOf(id)).map(({ note }) => note);
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
}

describe('MCP servers of a run reach', () => {
  it('claude in a file, with their tools allowed', async () => {
    const { argv, content } = await callOf('claude');
    expect(argv).toContain('--allowedTools=mcp__local,mcp__far_off');
    expect(JSON.parse(content)).toEqual({
      mcpServers: {
        local: { type: 'stdio', ...servers.local },
        'far off': { type: 'http', ...servers['far off'] },
      },
    });
  });

  it('codex in config.toml in CODEX_HOME', async () => {
    const { content, argv } = await callOf('codex');
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
    const { content } = await callOf('gemini');
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
    const { content } = await callOf('opencode', { mcp_servers: servers });
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

  it.each(['claude', 'codex', 'gemini', 'opencode'])(
    '%s not at all when there are none',
    async (harness) => {
      const { content, argv } = await callOf(harness, {});
      expect(content).toMatch(
        /^(|\[mcp_servers\]\n\[tools[^[]*|\{\s*"(mcp|mcpServers)": ?\{\}\s*\})$/,
      );
      expect(argv.join(' ')).not.toContain('mcp');
    },
  );
});

/** The operator's settings for all four agents, each with a server of the same name as in the request. */
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

describe('settings of the environment', () => {
  const config = { mcp_servers: servers };

  it.each(['claude', 'codex', 'gemini', 'opencode'])(
    'of %s win over servers of the same name, and the timeline says so',
    async (harness) => {
      const HOME = operatorHome();
      const before = readdirSync(HOME, { recursive: true });
      const variables = { HOME, OPENCODE_CONFIG: join(HOME, 'opencode.jsonc') };
      const { content, notes } = await callOf(harness, config, { variables });
      expect(content).toMatch(/far.off/);
      expect(content).not.toContain('hunter2-of-env');
      expect(notes).toContain('Skipped MCP servers that the environment already has: local');
      expect(readdirSync(HOME, { recursive: true })).toEqual(before);
    },
  );

  it('of codex stay', async () => {
    const HOME = operatorHome();
    const { content, login } = await callOf('codex', config, { variables: { HOME } });
    expect(parse(content)).toMatchObject({
      model: 'own',
      developer_instructions: 'Be kind.',
      mcp_servers: { local: { command: 'own' }, docs: { command: 'docs' }, far_off: {} },
      tools: { update_plan: { enabled: false } },
    });
    expect(login).toBe('logged in');
  });

  it('of gemini stay: user settings are merged, system settings untouched', async () => {
    const HOME = operatorHome();
    const variables = { HOME, GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/etc/own.json' };
    const called = await callOf('gemini', config, { variables });
    expect(JSON.parse(called.content)).toMatchObject({
      model: { name: 'own // 1' },
      mcpServers: { local: { command: 'own' }, docs: { command: 'docs' }, 'far off': {} },
    });
    expect(called.login).toBe('logged in');
    expect(called.variables['GEMINI_CLI_SYSTEM_SETTINGS_PATH']).toBe('/etc/own.json');
  });

  it('of opencode stay, in files and in the variable', async () => {
    const HOME = operatorHome();
    const OPENCODE_CONFIG = join(HOME, 'opencode.jsonc');
    const own = { instructions: ['own.md'], mcp: { docs: { type: 'local', command: ['docs'] } } };
    const variables = { HOME, OPENCODE_CONFIG, OPENCODE_CONFIG_CONTENT: JSON.stringify(own) };
    const called = await callOf('opencode', config, { variables });
    expect(called.variables['OPENCODE_CONFIG']).toBe(OPENCODE_CONFIG);
    const content = JSON.parse(called.content);
    expect(content.instructions).toEqual(['own.md']);
    expect(Object.keys(content.mcp)).toEqual(['far off', 'docs']);
  });

  it.each([
    ['codex', '.codex/config.toml'],
    ['gemini', '.gemini/settings.json'],
    ['opencode', '.config/opencode/opencode.json'],
  ])("of %s that are invalid fail the run, with the file's name", async (harness, name) => {
    const HOME = createRepository({ [name]: '{ "a": ' });
    const { message } = await callOf(harness, config, { variables: { HOME } });
    expect(message).toContain(`Can't read the settings in ${join(HOME, name)}.`);
  });
});
