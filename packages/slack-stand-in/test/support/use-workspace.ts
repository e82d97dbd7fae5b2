import { App, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { afterEach } from 'vitest';
import { createLocalWorkspace, type LocalWorkspace } from '../../src/index.ts';
import type { LocalWorkspaceOptions } from '../../src/workspace.ts';
import { testManifest } from './manifest.ts';

export type Started = { workspace: LocalWorkspace; app: App };

/** Starts a workspace with a real Bolt app on Socket Mode. Both stop after each test. */
export function useWorkspace() {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  });

  async function startWorkspace(options: Partial<LocalWorkspaceOptions> = {}) {
    // Longer than Slack's three seconds, which are too short on a busy machine.
    const ackWithinMs = 120_000;
    const workspace = createLocalWorkspace({ manifest: testManifest, ackWithinMs, ...options });
    await workspace.start();
    cleanUps.push(() => workspace.stop());
    return workspace;
  }

  async function startSocketApp(
    register: (app: App) => void,
    options: Partial<LocalWorkspaceOptions> = {},
  ): Promise<Started> {
    const workspace = await startWorkspace(options);
    const { apiUrl: slackApiUrl, appToken, botToken: token } = workspace;
    const retryConfig = { retries: 100, factor: 1.3 };
    const receiver = new SocketModeReceiver({
      appToken,
      logLevel: LogLevel.ERROR,
      installerOptions: { clientOptions: { slackApiUrl, retryConfig } },
    });
    const clientOptions = { slackApiUrl, retryConfig: { retries: 0 } };
    const app = new App({ token, receiver, clientOptions, logLevel: LogLevel.ERROR });
    register(app);
    cleanUps.push(() => app.stop());
    await app.start();
    return { workspace, app };
  }

  return {
    startWorkspace,
    startSocketApp,
    onCleanUp: (run: () => Promise<unknown>) => cleanUps.push(run),
  };
}
