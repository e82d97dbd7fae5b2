import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { onTestFinished } from 'vitest';
import { bundle } from '../../../packages/base/test/support/bundle.ts';
import { endLeases } from '../../../packages/base/test/support/end-leases.ts';
import { startProgram } from '../../../packages/base/test/support/program.ts';
import {
  temporaryFolder,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { ackWithinMs } from './product.ts';
import { patience } from './waits.ts';
import { watchedWorkspace } from './watched-workspace.ts';

const manifestFile = fileURLToPath(new URL('../../../manifest.yml', import.meta.url));

/**
 * Starts a local workspace and a bot in a separate process. A test can kill the bot and start it again on the same
 * data.
 */
export async function startKillableBot({
  runsApiUrl,
  variables,
}: {
  runsApiUrl: string;
  variables?: Record<string, string>;
}) {
  const manifest = readManifest(manifestFile);
  const workspace = watchedWorkspace(
    createLocalWorkspace({ manifest, logger: createLogger('silent'), ackWithinMs }),
  );
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const program = bundle('test/support/product/bot-with-wait.ts');
  const database = join(temporaryFolder(), 'bot.db');

  async function start({ ackWaitMs = patience.ackWaitMs } = {}) {
    let isConnected = () => {};
    const connected = new Promise<void>((resolve) => {
      isConnected = resolve;
    });
    const end = workspace.subscribe((change) => {
      if (change.type === 'socket' && change.connections > 0) isConnected();
    });
    const child = startProgram(program, {
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      SLACK_API_URL: workspace.apiUrl,
      RUNS_API_URL: runsApiUrl,
      RUNS_API_KEY: testKey,
      DATABASE_URL: `sqlite:${database}`,
      ACK_WAIT_MS: `${ackWaitMs}`,
      ...variables,
    });
    await connected;
    end();
    return {
      async kill() {
        child.kill('SIGKILL');
        await once(child, 'exit');
        // Wait for the last connection to close, because the next start would mistake it for its own.
        await workspace.until(() => workspace.connections() === 0);
        endLeases(database);
      },
    };
  }

  return { workspace, start };
}
