import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { readEnvironments } from '../../src/environments/read-environments.ts';
import { headersWithinMsOf } from '../../src/harnesses/model-input.ts';
import { executorBed, openedModels, runToken } from '../execution/executor-bed.ts';
import { createRepository, temporaryFolder } from '../support/runs-service.ts';

/** Fake agent that saves its arguments, its variables and the settings that a real one would read. */
const standIn = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { env, argv } = process;
const files = {
  claude: argv.find((each) => each.startsWith('--settings='))?.slice(11),
  codex: env.CODEX_HOME && env.CODEX_HOME + '/config.toml',
  gemini: env.GEMINI_CLI_HOME && env.GEMINI_CLI_HOME + '/.gemini/settings.json',
};
const name = argv[1].split('/').at(-1);
const file = files[name];
writeFileSync(SEEN, JSON.stringify({
  argv: argv.slice(2), variables: env,
  settings: name === 'opencode' ? env.OPENCODE_CONFIG_CONTENT : file ? readFileSync(file, 'utf8') : '',
}));
`;

type Seen = { argv: string[]; variables: Record<string, string>; settings: string };

const vendors = {
  anthropic: { api: 'anthropic', key_file: 'k' },
  openai: { api: 'openai', key_file: 'k' },
  gemini: { api: 'gemini', key_file: 'k' },
};
const address = 'http://127.0.0.1:8123';

/** Runs a stand-in for an agent, and returns what it saw. */
async function seenBy(
  program: string,
  { providers = vendors, config = {}, ...environment }: Record<string, unknown> = {},
): Promise<Seen> {
  const bin = temporaryFolder();
  const seen = join(bin, 'seen');
  writeFileSync(join(bin, program), standIn.replace('SEEN', JSON.stringify(seen)), { mode: 0o755 });
  const file = join(bin, 'environments.yml');
  const isHarness = environment['command'] === undefined;
  const one = {
    id: 'a',
    isolation: 'none',
    repositories: [{ url: createRepository({ 'a.txt': '' }) }],
    ...(isHarness && { harness: program }),
    models: Object.keys(providers as object),
    ...environment,
  };
  writeFileSync(file, JSON.stringify({ models: providers, environments: [one] }));
  const [read] = readEnvironments(file);
  if (!read) throw new Error('no environment');
  const { openModels } = openedModels({ address: { port: 8123 } });
  const path = `${bin}:${process.env['PATH']}`;
  const bed = await executorBed(read, openModels, { path, config: config as object });
  expect(await bed.execute()).toEqual({ state: 'SUCCEEDED' });
  return JSON.parse(readFileSync(seen, 'utf8')) as Seen;
}

describe('through the model gateway, the agent', () => {
  it('claude gets its address and the token, also over the settings of a repository', async () => {
    const { argv, settings, variables } = await seenBy('claude');
    expect(argv.join(' ')).not.toContain(runToken);
    const env = { ANTHROPIC_BASE_URL: `${address}/anthropic`, ANTHROPIC_API_KEY: runToken };
    expect(variables).toMatchObject({
      ...env,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_STREAM_IDLE_TIMEOUT_MS: '1800000',
      NO_PROXY: 'localhost,127.0.0.1,::1',
    });
    expect(JSON.parse(settings)).toEqual({
      env,
      skipWebFetchPreflight: true,
      permissions: { deny: ['WebSearch'] },
    });
  });

  it('claude keeps the server tools of its provider, and an allowed small model', async () => {
    const anthropic = {
      ...vendors.anthropic,
      server_tools: true,
      allowed: ['claude-opus-5-5', 'claude-haiku-4-5'],
    };
    const { settings, variables } = await seenBy('claude', { providers: { anthropic } });
    expect(settings).not.toContain('deny');
    expect(variables['ANTHROPIC_DEFAULT_HAIKU_MODEL']).toBe('claude-haiku-4-5');
  });

  it('codex gets a provider named gateway, in every profile', async () => {
    const home = temporaryFolder();
    writeFileSync(
      join(home, 'config.toml'),
      'model = "gpt-5.5"\nmodel_provider = "other"\n[profiles.x]\nmodel_provider = "other"\nmodel = "m"\n[features]\nplugins = true\n',
    );
    const { settings, variables } = await seenBy('codex', { variables: { CODEX_HOME: home } });
    expect(variables['MODEL_TOKEN']).toBe(runToken);
    expect(settings).not.toContain(runToken);
    expect(parse(settings)).toMatchObject({
      model: 'gpt-5.5',
      model_provider: 'gateway',
      web_search: 'disabled',
      profiles: { x: { model: 'm' } },
      features: { plugins: true, apps: false },
      model_providers: {
        gateway: {
          base_url: `${address}/openai/v1`,
          env_key: 'MODEL_TOKEN',
          wire_api: 'responses',
          supports_websockets: false,
          stream_idle_timeout_ms: 1_800_000,
        },
      },
    });
    expect(settings).not.toContain('"other"');
  });

  it('gemini gets its address, and no tools that run at the vendor', async () => {
    const { settings, variables } = await seenBy('gemini');
    expect(variables).toMatchObject({
      GOOGLE_GEMINI_BASE_URL: `${address}/gemini`,
      GEMINI_API_KEY: runToken,
    });
    expect(JSON.parse(settings)).toMatchObject({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      tools: { exclude: ['google_web_search', 'web_fetch'] },
    });
  });

  it('opencode gets every provider by its own name for it', async () => {
    const local = {
      api: 'openai',
      base_url: 'http://10.0.0.2:8000/v1',
      allow_private: true,
      allowed: ['qwen3'],
    };
    const { settings, variables } = await seenBy('opencode', { providers: { ...vendors, local } });
    expect(variables['OPENCODE_DISABLE_MODELS_FETCH']).toBe('1');
    const read = JSON.parse(settings);
    expect(read.enabled_providers).toEqual(['anthropic', 'openai', 'google', 'local']);
    expect(read.small_model).toBe('local/qwen3');
    expect(read.provider).toMatchObject({
      anthropic: { options: { baseURL: `${address}/anthropic/v1`, apiKey: runToken } },
      openai: { options: { baseURL: `${address}/openai/v1`, timeout: false } },
      google: { options: { baseURL: `${address}/gemini/v1beta` } },
      local: {
        npm: '@ai-sdk/openai-compatible',
        models: { qwen3: {} },
        options: { baseURL: `${address}/local/v1`, apiKey: runToken },
      },
    });
    expect(read.provider.openai.npm).toBeUndefined();
  });

  it('with a command gets the usual variables, only for the providers that it has', async () => {
    const command = [
      'my-agent',
      '--url={model_url}',
      ['--token={model_token}'],
      ['{settings_file}'],
    ];
    const providers = { second: vendors.openai, anthropic: vendors.anthropic };
    const { argv, variables } = await seenBy('my-agent', {
      command,
      providers,
      variables: { NO_PROXY: 'corp.test' },
    });
    expect(argv).toEqual([`--url=${address}/second`, `--token=${runToken}`]);
    expect(variables).toMatchObject({
      OPENAI_BASE_URL: `${address}/second/v1`,
      OPENAI_API_KEY: runToken,
      ANTHROPIC_BASE_URL: `${address}/anthropic`,
      ANTHROPIC_API_KEY: runToken,
      NO_PROXY: 'corp.test,localhost,127.0.0.1,::1',
    });
    expect(variables['GEMINI_API_KEY']).toBeUndefined();
  });

  it('has no token in its setup', async () => {
    const setup = [['sh', '-c', 'env > ../setup.txt']];
    const script = 'cp ../setup.txt "$1"; exec my-agent';
    const to = join(temporaryFolder(), 'setup');
    await seenBy('my-agent', { setup, command: ['sh', '-c', script, 'sh', to] });
    expect(readFileSync(to, 'utf8')).toContain('AGENT_RUN_ID');
    expect(readFileSync(to, 'utf8')).not.toContain(runToken);
  });
});

it('waits long for a person only with agents that have settings for it', () => {
  expect(['claude', 'codex', 'opencode'].map(headersWithinMsOf)).toEqual(Array(3).fill(1_200_000));
  expect(['gemini', 'acp', undefined].map(headersWithinMsOf)).toEqual(Array(3).fill(45_000));
});
