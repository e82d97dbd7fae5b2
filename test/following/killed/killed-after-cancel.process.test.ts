import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { bundle } from '../../support/bundle.ts';
import { startApiGate } from '../../support/network/api-gate.ts';
import { general, runMessageShowing } from '../../support/product/product.ts';
import { startProgram } from '../../support/program.ts';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../support/runs-service.ts';

const manifestFile = fileURLToPath(new URL('../../../manifest.yml', import.meta.url));

it('a bot that is killed between the click and the call cancels the run after its restart', async () => {
  const environments = [shellEnvironment('exec sleep 600', { default: true })];
  const { service } = await startRunsService({ environments });
  const gate = await startApiGate(service.apiUrl);
  const manifest = readManifest(manifestFile);
  const workspace = createLocalWorkspace({ manifest, logger: createLogger('silent') });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const program = bundle('src/main.ts');
  const start = () =>
    startProgram(program, {
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      SLACK_API_URL: workspace.apiUrl,
      RUNS_API_URL: gate.baseUrl,
      RUNS_API_KEY: testKey,
      DATABASE_URL: `sqlite:${database}`,
    });
  const database = join(temporaryFolder(), 'bot.db');
  const connected = new Promise<void>((resolve) => {
    workspace.subscribe((change) => {
      if (change.type === 'socket' && change.connections > 0) resolve();
    });
  });
  const first = start();
  await connected;
  const ada = workspace.as('ada');
  await ada.types(general, '/agent run wait');
  const message = await runMessageShowing(workspace, 'In progress');
  const isCancel = (path: string) => path.endsWith('/cancel');
  gate.answer((path) =>
    isCancel(path) ? { status: 503, body: { title: 'Being restarted' } } : undefined,
  );
  await ada.clicks({ channelId: general, messageTs: message.ts }, 'run:cancel');
  await runMessageShowing(workspace, 'Canceling:');
  first.kill('SIGKILL');
  await once(first, 'exit');
  gate.pass();
  start();
  const ended = await runMessageShowing(workspace, `by <@${ada.person.id}>`);
  expect(ended.ts).toBe(message.ts);
});
