import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readSteps } from 'runs-service/harnesses/steps/read-steps';
import { expect } from 'vitest';
import { parse } from 'yaml';
import {
  createRepository,
  testKey,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { general, textOf } from '../support/product/product.ts';
import type { Bed } from './bed.ts';

type Step = (bed: Bed, command: string) => Promise<void>;

const modeOf = (file: string) => statSync(file).mode & 0o777;
const read = (file: string) => readFileSync(file, 'utf8');

/** Expects a line of a script that reports progress of this kind. */
const reports =
  (kind: string): Step =>
  async ({ types }, command) => {
    expect(readSteps((await types(command)).trim())).toMatchObject([{ kind }]);
  };

/** Expects a printed manifest in which `holds` returns `is`. */
const manifest =
  (holds: (printed: ReturnType<typeof parse>) => unknown, is: unknown): Step =>
  async ({ types }, command) => {
    expect(holds(parse(await types(command)))).toEqual(is);
  };

const isSocketMode = (printed: ReturnType<typeof parse>) => printed.settings.socket_mode_enabled;

/** Backs up to the documented file, which is private and in a new folder. */
const backsUp =
  (name: string): Step =>
  async ({ types, file }, command) => {
    expect(await types(command)).toContain(`to ${name} and checked it.`);
    expect(modeOf(file(name))).toBe(0o600);
  };

async function untilReady(port: string): Promise<void> {
  const status = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    return answer?.status;
  };
  await expect.poll(status).toBe(200);
}

/** Typed into the bot's container, which has no curl. */
const askReadiness = `node -e "fetch('http://127.0.0.1:3000/readyz').then((r) => r.text()).then(console.log)"`;

/** Saves the typed text in a private file. */
const savesSecret =
  (name: string): Step =>
  async ({ types, file }, command) => {
    await types(`printf secret-1 | { ${command}; }`);
    expect(read(file(name))).toBe('secret-1');
    expect(modeOf(file(name))).toBe(0o600);
  };

/** Tries an environment whose agent gets the key from this file, or from the variable if there's no file. */
const triesWithKey =
  (keyFile: string): Step =>
  async ({ types, file }, command) => {
    const script = 'echo "$AGENT_PROMPT $(test -n "$ANTHROPIC_API_KEY" && echo with a key)"';
    const environment = {
      id: 'one',
      isolation: 'none',
      repositories: [{ url: createRepository({ 'notes.txt': 'one' }) }],
      secret_files: { ANTHROPIC_API_KEY: keyFile },
      command: ['sh', '-c', script],
    };
    writeFileSync(file('environments.yml'), JSON.stringify({ environments: [environment] }));
    expect(await types(command)).toContain('What does this project do? with a key');
  };

let key = '';

/**
 * Commands of README and docs that are typed here, in this order, in one folder that is empty at first. Each must do what its
 * page promises.
 */
export const steps: Record<string, Step> = {
  'npx slash-agent --help': async ({ types }, command) =>
    expect(await types(command)).toContain('\n  doctor '),
  'install -m 600 .env.example .env': async ({ types, file }, command) => {
    await types(command);
    expect(read(file('.env'))).toBe(read(file('.env.example')));
    expect(modeOf(file('.env'))).toBe(0o600);
  },
  'npx slash-agent setup': async ({ types, file, workspace, service }, command) => {
    const answers = ['2', service.apiUrl, testKey, workspace.botToken, workspace.appToken];
    const printed = await types(`printf '%s\\n' ${answers.join(' ')} | ${command}`);
    expect(printed).toContain('features:');
    expect(printed).toContain('No problems found.');
    expect(read(file('.env'))).toContain(`\nSLACK_APP_TOKEN=${workspace.appToken}\n`);
  },
  'npx slash-agent manifest': manifest(isSocketMode, true),
  'npx slash-agent manifest --unfurl-domain runs.example.org': manifest(
    ({ features, settings }) => [features.unfurl_domains, settings.socket_mode_enabled],
    [['runs.example.org'], true],
  ),
  'npx slash-agent manifest --url https://agent.example.org --unfurl-domain runs.example.org':
    manifest(
      ({ settings }) => settings.event_subscriptions.request_url,
      'https://agent.example.org/slack/events',
    ),
  'npx slash-agent manifest --install-url https://agent.example.org': manifest(
    ({ oauth_config: oauth, settings }) => [oauth.redirect_urls, settings.token_rotation_enabled],
    [['https://agent.example.org/slack/oauth_redirect'], true],
  ),
  'npx slash-agent manifest --plain': manifest(
    (printed) => 'functions' in printed || 'agent_view' in printed.features,
    false,
  ),
  'npx slash-agent manifest --email': manifest(
    ({ oauth_config: oauth }) => oauth.scopes.bot.includes('users:read.email'),
    true,
  ),
  'npx slash-agent doctor': async ({ types }, command) =>
    expect(await types(command)).toBe('No problems found.\n'),
  'npx slash-agent doctor --json': async ({ types }, command) =>
    expect(JSON.parse(await types(command))).toEqual({ ok: true, problems: [], notes: [] }),
  'npx slash-agent start': async ({ starts, workspace, variables }, command) => {
    const { stop } = starts(command);
    await untilReady(variables.PORT);
    const ada = workspace.as('ada');
    await ada.types(general, '/agent help');
    await expect.poll(() => textOf(ada.sees(general))).toContain('/agent list');
    await stop();
  },
  [`docker compose --file deploy/compose.yml exec bot ${askReadiness}`]: async ({
    starts,
    types,
    variables,
  }) => {
    const { stop } = starts('npx slash-agent start');
    await untilReady(variables.PORT);
    expect(await types(askReadiness.replace('3000', variables.PORT))).toBe('ok\n\n');
    await stop();
  },
  'npx slash-agent backup backups/2026-11-23.db': backsUp('backups/2026-11-23.db'),
  'npx slash-agent backup test/releases/0.2.0.db': backsUp('test/releases/0.2.0.db'),
  'npx slash-agent restore FILE': async ({ types, file }, command) => {
    renameSync(file('data/slash-agent.db'), file('moved.db'));
    for (const end of ['-wal', '-shm']) rmSync(file(`data/slash-agent.db${end}`), { force: true });
    const printed = await types(command.replace('FILE', 'backups/2026-11-23.db'));
    expect(printed).toContain('The key fits. You can start the bot.');
  },
  'npx slash-agent people export U0123ABCD > person.json': async ({ types, file }, command) => {
    await types(command);
    expect(JSON.parse(read(file('person.json')))).toMatchObject({ user_id: 'U0123ABCD' });
  },
  'npx slash-agent people delete U0123ABCD > runs.txt': async ({ types, file }, command) => {
    await types(command);
    expect(read(file('runs.txt'))).toBe('');
  },
  'npx slash-agent runs-service runs delete - < runs.txt': async ({ types }, command) =>
    expect(await types(command)).toBe('Deleted 0 runs.\n'),
  'npx slash-agent keys rotate': async ({ types }, command) =>
    expect(await types(command)).toContain('you can remove the second one.'),
  'npx slash-agent audit export --since 2026-11-01': async ({ types }, command) => {
    const lines = (await types(command)).split('\n').filter(Boolean);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('action');
  },
  'npx slash-agent usage prices environments.yml': async ({ types, file }, command) => {
    writeFileSync(
      file('environments.yml'),
      JSON.stringify({
        environments: [
          { id: 'one', repositories: [{ url: '.' }], command: ['true'], models: ['anthropic'] },
        ],
        models: { anthropic: { api: 'anthropic' } },
      }),
    );
    expect(await types(command)).toMatch(/^anthropic +claude-opus-5-5 /m);
  },
  'npx slash-agent usage export --since 2026-11-01 > model-calls.csv': async (
    { types, file },
    command,
  ) => {
    await types(command);
    expect(read(file('model-calls.csv'))).toMatch(/^started_at,ended_at,run_id,/);
  },
  'npx slash-agent runs-service keys add slash-agent --service --role all': async (
    { types },
    command,
  ) => {
    [key = ''] = (await types(command)).split('\n');
    expect(key).toMatch(/^sar_/);
  },
  'npx slash-agent runs-service keys list': async ({ types }, command) =>
    expect(await types(command)).toContain(`${key.slice(0, 12)}…  valid`),
  'mkdir -p secrets && (umask 077; cat > secrets/anthropic)': savesSecret('secrets/anthropic'),
  'mkdir -p secrets && (umask 077; cat > secrets/github-token)':
    savesSecret('secrets/github-token'),
  'npx slash-agent try environments.yml "What does this project do?"':
    triesWithKey('secrets/anthropic'),
  'ANTHROPIC_API_KEY=sk-ant-… npx slash-agent try environments.yml "What does this project do?"':
    triesWithKey('secrets/none'),
  'RUNS_SERVICE_ENVIRONMENTS=./environments.yml npx slash-agent runs-service': async (
    { starts, variables },
    command,
  ) => {
    const { printed, stop } = starts(`env ${command}`);
    await expect.poll(printed).toContain('"apiUrl"');
    await untilReady(variables.RUNS_SERVICE_PORT);
    const url = `http://127.0.0.1:${variables.RUNS_SERVICE_PORT}/api/v1/agent/environments`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect(await answer.json()).toMatchObject({ environments: [{ uid: 'one' }] });
    await stop();
  },
  'npx slash-agent runs-service keys revoke <beginning>': async ({ types }, command) => {
    const printed = await types(command.replace('<beginning>', key.slice(0, 12)));
    expect(printed).toBe(`Revoked ${key.slice(0, 12)}…\n`);
  },
  [`echo '{"sessionUpdate":"plan","entries":[{"content":"Run the tests","status":"in_progress"}]}'`]:
    reports('plan'),
  [`echo '{"sessionUpdate":"tool_call","toolCallId":"1","title":"npm test","kind":"execute"}'`]:
    reports('call'),
  [`echo '{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}'`]:
    reports('result'),
  [`echo '{"sessionUpdate":"usage_update","cost":{"amount":0.25,"currency":"USD"},"totalTokens":1200}'`]:
    reports('usage'),
  [`echo '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"All **12** tests pass."}}'`]:
    reports('text'),
};
