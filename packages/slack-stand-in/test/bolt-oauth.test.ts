import { App, type Installation, LogLevel } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../base/test/support/free-port.ts';
import type { LocalWorkspace } from '../src/index.ts';
import { distributedManifest } from './support/manifest.ts';
import { useWorkspace } from './support/use-workspace.ts';

const katherine = 'U05KATHERIN';

/** Acts as a browser: opens the app's install page, accepts on Slack's consent page, and returns to the app. */
async function installInBrowser(workspace: LocalWorkspace, appUrl: string): Promise<Response> {
  const start = await fetch(`${appUrl}/slack/install`, { redirect: 'manual' });
  const cookie = (start.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const consent = await (await fetch(start.headers.get('location') ?? '')).text();
  const form = /name="form" value="(\w+)"/.exec(consent)?.[1] ?? '';
  const allowed = await fetch(`${workspace.url}/oauth/v2/authorize`, {
    method: 'POST',
    body: new URLSearchParams({ form, answer: 'allow', user: katherine }),
    redirect: 'manual',
  });
  return await fetch(allowed.headers.get('location') ?? '', { headers: { cookie } });
}

describe('a Bolt app for many teams', () => {
  const { startWorkspace, onCleanUp } = useWorkspace();

  it('is installed by OAuth in a second team, works there, and is notified when it is removed', async () => {
    const workspace = await startWorkspace({ manifest: distributedManifest, retryDelaysMs: [] });
    const { apiUrl: slackApiUrl, clientId, clientSecret, signingSecret } = workspace;
    const port = await freePort();
    const appUrl = `http://127.0.0.1:${port}`;
    const installations = new Map<string, Installation>();
    const removed: string[] = [];
    const app = new App({
      clientId,
      clientSecret,
      signingSecret,
      stateSecret: 'state',
      scopes: ['commands'],
      redirectUri: `${appUrl}/slack/oauth_redirect`,
      logLevel: LogLevel.ERROR,
      clientOptions: { slackApiUrl },
      installerOptions: {
        authorizationUrl: `${workspace.url}/oauth/v2/authorize`,
        clientOptions: { slackApiUrl },
        directInstall: true,
        redirectUriPath: '/slack/oauth_redirect',
      },
      installationStore: {
        storeInstallation: async (installation) =>
          void installations.set(installation.team?.id ?? '', installation),
        fetchInstallation: async ({ teamId }) => {
          const found = installations.get(teamId ?? '');
          if (!found) throw new Error(`not installed in ${teamId}`);
          return JSON.parse(JSON.stringify(found));
        },
      },
    });
    app.command('/try', async ({ ack, command, context }) => {
      await ack(`${command.team_domain} ${context.botToken}`);
    });
    app.event('app_uninstalled', async ({ context }) => void removed.push(context.teamId ?? ''));
    await app.start({ port, host: '127.0.0.1' });
    onCleanUp(() => app.stop());
    workspace.deliverTo({ mode: 'http', url: `${appUrl}/slack/events` });

    expect((await installInBrowser(workspace, appUrl)).status).toBe(200);
    const token = installations.get('T05COMPILER')?.bot?.token;
    expect(token).toMatch(/^xoxb-/);
    const { outcome } = await workspace.as(katherine).types('C05GENERAL1', '/try');
    expect(outcome).toMatchObject({ acked: true, body: `compiler-club ${token}` });
    await workspace.faults.inject({ name: 'app_uninstalled', teamId: 'T05COMPILER' });
    expect(removed).toEqual(['T05COMPILER']);
  });
});
