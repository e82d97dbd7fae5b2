import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import {
  createRepository,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { readAppScopes } from '../../src/config/app-scopes.ts';
import { setUp } from '../../src/setup/setup.ts';

const modeOf = (file: string) => statSync(file).mode & 0o777;

/** Creates an empty folder for the setup, and a Slack. */
async function startBed() {
  const manifest = readManifest(fileURLToPath(new URL('../../manifest.yml', import.meta.url)));
  const workspace = createLocalWorkspace({ manifest, logger: createLogger('silent') });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const folder = temporaryFolder();
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const given = {
    PATH: process.env['PATH'],
    SLACK_API_URL: workspace.apiUrl,
    // Set the path, because the default is relative to the working directory.
    RUNS_SERVICE_ENVIRONMENTS: join(folder, 'environments.yml'),
    RUNS_SERVICE_ALLOW_ROOT: 'true',
  };

  /** Runs the setup and answers questions that contain these texts, in this order. Other questions fail. */
  async function run(...answers: [words: string, answer: string][]) {
    const left = [...answers];
    let printed = '';
    const ask = async (question: string): Promise<string> => {
      const [words, answer] = left.shift() ?? ['no more questions', ''];
      expect(question).toContain(words);
      printed += question;
      return answer;
    };
    const file = join(folder, '.env');
    const saved = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
    const isHealthy = await setUp({
      prompts: {
        ask,
        askSecret: ask,
        print: (text) => {
          printed += text;
        },
      },
      variables: { ...saved, ...given },
      folder,
      nodeVersion: process.versions.node,
      scopes: readAppScopes(false),
      manifestFor: (domains) => `manifest for ${domains.join()}`,
    });
    expect(left).toEqual([]);
    return { printed, isHealthy };
  }
  return { run, read, folder, workspace };
}

describe('setup', () => {
  it('checks each answer, and writes an environment, its key and the settings for this user only', async () => {
    const { run, read, folder, workspace } = await startBed();
    const repository = createRepository({ 'notes.txt': 'one' });
    const { printed } = await run(
      ['Number', '3'],
      ['Number [1]', ''],
      ['Repository', '/nowhere'],
      ['Repository', repository],
      ['Number [1]', '2'],
      ['API key of OpenAI', ''],
      ['API key of OpenAI', 'sk-secret'],
      ['Bot User OAuth Token', workspace.appToken],
      ['Bot User OAuth Token', 'xoxb-wrong'],
      ['Bot User OAuth Token', workspace.botToken],
      ['App-level token', 'xapp-wrong'],
      ['App-level token', workspace.appToken],
    );
    for (const words of [
      'Type a number from 1 to 2',
      "'/nowhere' does not appear to be a git repository",
      'An answer is needed',
      'manifest for ',
      'A bot token starts with xoxb-',
      'bot-token-rejected: Slack rejects the bot token.\n  Slack says invalid_auth.',
      'app-token-rejected',
    ])
      expect(printed).toContain(words);
    expect(parseEnv(read('.env'))).toEqual({
      RUNS_SERVICE: 'embedded',
      RUNS_SERVICE_ENVIRONMENTS: join(folder, 'environments.yml'),
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
    });
    expect(parse(read('environments.yml')).environments).toMatchObject([
      { id: 'codex', repositories: [{ url: repository }] },
    ]);
    expect(read('secrets/openai')).toBe('sk-secret\n');
    for (const name of ['.env', 'environments.yml', 'secrets/openai'])
      expect(modeOf(join(folder, name))).toBe(0o600);
    expect(modeOf(join(folder, 'secrets'))).toBe(0o700);
    // Codex isn't installed here, so its environment has a problem.
    expect(printed).toMatch(/environment-broken: [\s\S]*codex[\s\S]*run "npx slash-agent doctor"/);
    expect(printed).not.toContain('sk-secret');
  });

  it('can be run again: with Enter only it changes nothing, and shows no secret', async () => {
    const { run, read, folder, workspace } = await startBed();
    const env = `# mine\nSLACK_BOT_TOKEN=${workspace.botToken}\nSLACK_APP_TOKEN=${workspace.appToken}\nRUNS_SERVICE=embedded\nRUNS_SERVICE_ENVIRONMENTS=${join(folder, 'environments.yml')}\nUNKNOWN=kept\n`;
    writeFileSync(join(folder, '.env'), env, { mode: 0o644 });
    const environments = JSON.stringify({
      environments: [
        {
          id: 'a',
          isolation: 'none',
          repositories: [{ url: createRepository({ a: 'b' }) }],
          command: ['true'],
        },
      ],
    });
    writeFileSync(join(folder, 'environments.yml'), environments);
    const { printed, isHealthy } = await run(
      ['Number [1]', ''],
      ['Token, also under Install App (xoxb-…) [the one you have]', ''],
      ['(xapp-…) [the one you have]', ''],
    );
    expect(printed).toContain("environments.yml isn't changed.");
    expect(printed).toContain('No problems found.\nStart the bot');
    expect(isHealthy).toBe(true);
    expect(read('.env')).toBe(env);
    expect(modeOf(join(folder, '.env'))).toBe(0o600);
    expect(read('environments.yml')).toBe(environments);
    for (const secret of [workspace.botToken, workspace.appToken])
      expect(printed).not.toContain(secret);
  });

  it('changes to a runs service elsewhere, and back', async () => {
    const { run, read, folder, workspace } = await startBed();
    const { service } = await startRunsService({ environments: [shellEnvironment('true')] });
    const tokens = { SLACK_BOT_TOKEN: workspace.botToken, SLACK_APP_TOKEN: workspace.appToken };
    const enter: [string, string][] = [
      ['xoxb-', ''],
      ['xapp-', ''],
    ];
    const lines = Object.entries(tokens).map((pair) => `${pair.join('=')}\n`);
    writeFileSync(join(folder, '.env'), `${lines.join('')}RUNS_SERVICE=embedded\n`);
    const there = await run(
      ['Number [1]', '2'],
      ['Base URL', 'https://runs.example.org'],
      ['Base URL', 'http://runs.example.org/api/v1'],
      ['Base URL', service.apiUrl],
      ['API key', 'wrong'],
      ['API key', testKey],
      ...enter,
    );
    for (const words of [
      'It must end in /api/v1',
      'It must be an https URL',
      'runs-api-key-rejected',
    ])
      expect(there.printed).toContain(words);
    expect(there.isHealthy).toBe(true);
    const remote = { RUNS_API_URL: service.apiUrl, RUNS_API_KEY: testKey };
    expect(parseEnv(read('.env'))).toEqual({ ...tokens, ...remote });

    const repository = createRepository({ a: 'b' });
    await run(
      ['Number [2]', '1'],
      ['Repository', repository],
      ['Number [1]', '5'],
      ['Command', ''],
      ...enter,
    );
    expect(parseEnv(read('.env'))).toMatchObject({ ...tokens, RUNS_SERVICE: 'embedded' });
    expect(parseEnv(read('.env'))).not.toHaveProperty('RUNS_API_URL');
    expect(parse(read('environments.yml')).environments).toMatchObject([
      { id: 'script', command: ['sh', '-c', 'git ls-files | wc -l'] },
    ]);
  });

  it('saves nothing if the input ends, or for an app of many workspaces', async () => {
    const folder = temporaryFolder();
    const end = async () => {
      throw new Error('ended');
    };
    const deps = {
      prompts: { ask: end, askSecret: end, print: () => {} },
      variables: {},
      folder,
      nodeVersion: process.versions.node,
      scopes: { required: [], optional: [] },
      manifestFor: () => '',
    };
    await expect(setUp(deps)).rejects.toThrow('ended');
    const many = { ...deps, variables: { PUBLIC_URL: 'https://agent.example.org' } };
    await expect(setUp(many)).rejects.toThrow('Setup is for one workspace');
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });
});
