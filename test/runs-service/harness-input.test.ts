import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { readEnvironments } from '../../src/runs-service/read-environments.ts';
import { createRepository, startRunsService, temporaryFolder } from '../support/runs-service.ts';

/** A stand-in for an agent: prints how it was called, and the files that it would read its MCP servers from. */
const standIn = `#!${process.execPath}
const { readFileSync, readdirSync, statSync } = require('node:fs');
const { env, argv } = process;
const file = argv.find((each) => each.startsWith('--mcp-config='))?.slice(13)
  ?? (env.CODEX_HOME ? env.CODEX_HOME + '/config.toml' : undefined)
  ?? env.GEMINI_CLI_SYSTEM_SETTINGS_PATH ?? env.OPENCODE_CONFIG;
console.log(JSON.stringify({
  argv: argv.slice(2), input: readFileSync(0, 'utf8'), file,
  content: file && readFileSync(file, 'utf8'), mode: file && (statSync(file).mode & 0o777).toString(8),
  beside: env.CODEX_HOME && readdirSync(env.CODEX_HOME),
  auth: env.CODEX_HOME && readdirSync(env.CODEX_HOME).includes('auth.json') && readFileSync(env.CODEX_HOME + '/auth.json', 'utf8'),
}));
`;

type Called = {
  argv: string[];
  input: string;
  file: string;
  content: string;
  mode: string;
  beside?: string[];
  auth?: string;
};

const servers = {
  local: { command: 'npx', args: ['-y', 'a "b"'], env: { KEY: 'hunter2-of-env' } },
  'far off': { url: 'https://x.test/mcp', headers: { Authorization: 'hunter2-of-header' } },
  shared: { warp_id: 'w-1' },
};

async function callOf(harness: string, config: object = { mcp_servers: servers }, more = {}) {
  const bin = temporaryFolder();
  // The output shows secrets as [secret]; the stand-in writes what it saw beside itself.
  const seen = join(bin, 'seen');
  const script = standIn.replace('console.log(', `require('node:fs').writeFileSync('${seen}', `);
  writeFileSync(join(bin, harness), script, { mode: 0o755 });
  const file = join(bin, 'environments.yml');
  const repositories = [{ url: createRepository({ 'a.txt': '' }) }];
  const environment = { id: 'a', repositories, harness, ...more };
  writeFileSync(file, JSON.stringify({ environments: [environment] }));
  const service = await startRunsService({
    environments: readEnvironments(file),
    path: `${bin}:${process.env['PATH']}`,
  });
  const id = await service.begin({ prompt: 'do it', config });
  const run = await service.until(id, 'SUCCEEDED', 'FAILED');
  expect(run.status_message?.message).toBeUndefined();
  const transcript = join(service.dataDir, 'transcripts', id);
  expect(readFileSync(join(transcript, 'changes.patch'), 'utf8')).toBe('');
  const called = JSON.parse(readFileSync(seen, 'utf8')) as Called;
  if (called.file) {
    expect(called.mode).toBe('600');
    expect(existsSync(called.file)).toBe(false);
    expect(called.file).toContain(join(service.dataDir, 'work', id, 'input'));
  }
  expect(called.argv.join(' ')).not.toContain('hunter2');
  return { ...called, service, run };
}

describe('MCP servers of a run reach', () => {
  it('claude as a file that its option names, with their tools allowed', async () => {
    const { argv, content } = await callOf('claude');
    expect(argv).toContain('--allowedTools=mcp__local,mcp__far_off');
    expect(JSON.parse(content)).toEqual({
      mcpServers: {
        local: { type: 'stdio', ...servers.local },
        'far off': { type: 'http', ...servers['far off'] },
      },
    });
  });

  it('codex as a config.toml in a folder that CODEX_HOME names', async () => {
    const { content, argv } = await callOf('codex', {
      mcp_servers: servers,
      base_prompt: 'Be "brief".\n',
    });
    const { local, 'far off': farOff } = servers;
    expect(parse(content)).toEqual({
      developer_instructions: 'Be "brief".\n',
      mcp_servers: {
        local: { ...local, default_tools_approval_mode: 'approve' },
        far_off: {
          url: farOff.url,
          http_headers: farOff.headers,
          default_tools_approval_mode: 'approve',
        },
      },
    });
    expect(argv).toContain('exec');
  });

  it('codex beside what a HOME of the environment has for it, which stays as it is', async () => {
    const ownConfig =
      'model = "own"\n[mcp_servers.local]\ncommand = "own"\n[mcp_servers.docs]\ncommand = "docs"\n';
    const own = createRepository({
      '.codex/auth.json': 'logged in',
      '.codex/config.toml': ownConfig,
    });
    const { content, auth } = await callOf('codex', undefined, { variables: { HOME: own } });
    expect(parse(content)).toMatchObject({
      model: 'own',
      mcp_servers: { local: servers.local, docs: { command: 'docs' }, far_off: {} },
    });
    expect(auth).toBe('logged in');
    expect(readFileSync(join(own, '.codex/config.toml'), 'utf8')).toBe(ownConfig);
  });

  it('gemini as a settings file that GEMINI_CLI_SYSTEM_SETTINGS_PATH names, trusted', async () => {
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

  it('opencode as a file that OPENCODE_CONFIG names, with the base prompt as instructions', async () => {
    const config = { mcp_servers: servers, base_prompt: 'Be brief.' };
    const { content, input } = await callOf('opencode', config);
    expect(input).toBe('do it');
    expect(JSON.parse(content)).toEqual({
      $schema: 'https://opencode.ai/config.json',
      instructions: [expect.stringMatching(/\/input\/base-prompt\.txt$/)],
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
      const { file, argv } = await callOf(harness, {});
      expect(file).toBeUndefined();
      expect(argv.join(' ')).not.toContain('mcp');
    },
  );
});
