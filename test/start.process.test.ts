import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from 'base/logger';
import { createLocalWorkspace, type LocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { startProgram, untilExit } from '../packages/base/test/support/program.ts';
import {
  shellEnvironment,
  temporaryFolder,
} from '../packages/runs-service/test/support/runs-service.ts';
import { general, runMessageShowing, textOf } from './support/product/product.ts';

const program = bundleSlashAgent();
const stoppedWell = { code: 0, output: expect.stringContaining('Stopped.') };

describe('slash-agent start', () => {
  it('says without a stack trace why it cannot start, and exits with 1', async () => {
    const { workspace, environment } = await startWorkspace();
    const { port } = new URL(workspace.url);
    for (const [variables, ...sentences] of [
      [{}, 'SLACK_BOT_TOKEN is missing.', 'RUNS_API_KEY is missing.', 'npm run demo'],
      [{ ...environment, SLACK_BOT_TOKEN: 'xoxb-not-this-one' }, 'Check SLACK_BOT_TOKEN'],
      [{ ...environment, SLACK_APP_TOKEN: 'xapp-other' }, 'Check SLACK_APP_TOKEN'],
      [{ ...environment, SLACK_API_URL: `${workspace.url}/nothing/` }, 'Check the URL'],
      [{ ...environment, PORT: port }, `already using 127.0.0.1:${port}`],
    ] as const) {
      const { code, output } = await untilExit(startProgram(program, variables, 'start'));
      for (const sentence of sentences) expect(output).toContain(sentence);
      expect(output).not.toMatch(/ {4}at |xoxb-not-this-one/);
      expect(code).toBe(1);
    }
  });

  it('connects, logs more after SIGUSR2, and exits with 0 on SIGTERM', async () => {
    const { workspace, environment } = await startWorkspace();
    const connected = connectedTo(workspace);
    const child = startProgram(program, environment, 'start');
    const ended = untilExit(child);
    await connected;
    child.kill('SIGUSR2');
    child.kill('SIGTERM');
    const { code, output } = await ended;
    expect(output).toContain('"logLevel":"debug"');
    expect({ code, output }).toMatchObject(stoppedWell);
  });

  it('executes runs itself with RUNS_SERVICE=embedded, from the command to the end in the run message', async () => {
    const { workspace, environment: complete } = await startWorkspace();
    const { RUNS_API_URL: _, RUNS_API_KEY: __, ...environment } = complete;
    const folder = temporaryFolder();
    const file = join(folder, 'environments.yml');
    const shell = shellEnvironment('echo "did: $(cat)"', { name: 'Shell' });
    writeFileSync(file, JSON.stringify({ environments: [shell] }));
    const embedded = {
      RUNS_SERVICE: 'embedded',
      RUNS_SERVICE_ALLOW_ROOT: 'true',
      RUNS_SERVICE_ENVIRONMENTS: file,
      RUNS_SERVICE_PORT: '0',
      DATA_DIR: join(folder, 'data'),
    };
    const child = startProgram(program, { ...environment, ...embedded }, 'start');
    const ended = untilExit(child);
    await connectedTo(workspace);
    await workspace.as('ada').types(general, '/agent run greet us');
    const message = textOf(await runMessageShowing(workspace, 'Succeeded'));
    expect(message).toContain('greet us');
    const [page = ''] = /http:\/\/127\.0\.0\.1:\d+\/session\/[\w-]+/.exec(message) ?? [];
    expect(await (await fetch(page)).text()).toContain('did: greet us');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject(stoppedWell);
  });
});

/** Waits until the bot is connected to the workspace. */
function connectedTo(workspace: LocalWorkspace): Promise<void> {
  return new Promise((resolve) => {
    workspace.subscribe((change) => {
      if (change.type === 'socket' && change.connections > 0) resolve();
    });
  });
}

async function startWorkspace() {
  const manifest = readManifest(fileURLToPath(new URL('../manifest.yml', import.meta.url)));
  const workspace = createLocalWorkspace({ manifest, logger: createLogger('silent') });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const environment = {
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    RUNS_API_URL: 'http://127.0.0.1:9/api/v1',
    RUNS_API_KEY: 'a-key',
    DATABASE_URL: `sqlite:${join(temporaryFolder(), 'bot.db')}`,
  };
  return { workspace, environment };
}
