import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { signRequest } from '../../src/signing.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const engineering = 'C04ENGINEER';
const view = {
  type: 'modal' as const,
  callback_id: 'ask',
  notify_on_close: true,
  title: { type: 'plain_text' as const, text: 'Ask' },
  blocks: [{ type: 'divider' as const }],
};

describe('a Bolt app that takes HTTP requests', () => {
  const { startWorkspace, onCleanUp } = useWorkspace();

  async function startHttpApp(register: (app: App) => void) {
    const workspace = await startWorkspace({ retryDelaysMs: [] });
    const { apiUrl: slackApiUrl, botToken: token, signingSecret } = workspace;
    const logLevel = LogLevel.ERROR;
    const receiver = new HTTPReceiver({ signingSecret, logLevel });
    const clientOptions = { slackApiUrl, retryConfig: { retries: 0 } };
    const app = new App({ token, receiver, clientOptions, logLevel });
    register(app);
    const server = await app.start({ port: 0, host: '127.0.0.1' });
    onCleanUp(() => app.stop());
    const { port } = (server as unknown as { address(): AddressInfo }).address();
    const url = `http://127.0.0.1:${port}/slack/events`;
    workspace.deliverTo({ mode: 'http', url });
    return { workspace, url };
  }

  it('passes the check of its request URL', async () => {
    const { workspace, url } = await startHttpApp(() => {});
    expect(await workspace.verifyRequestUrl(url)).toBe(true);
    expect(await workspace.verifyRequestUrl(`${url}/nothing`)).toBe(false);
  });

  it('handles signed commands, interactions and events', async () => {
    const heard: string[] = [];
    const { workspace } = await startHttpApp((app) => {
      app.command('/try', async ({ ack, client, command }) => {
        await ack(`you said ${command.text}`);
        await client.views.open({ trigger_id: command.trigger_id, view });
      });
      app.view({ callback_id: 'ask', type: 'view_closed' }, async ({ ack }) => {
        await ack();
        heard.push('closed');
      });
      app.event('app_mention', async ({ event }) => void heard.push(event.type));
    });
    const grace = workspace.as('grace');
    const { outcome } = await grace.types(engineering, '/try a & b <c>');
    expect(outcome).toMatchObject({ acked: true, body: 'you said a &amp; b &lt;c&gt;' });
    expect(grace.sees(engineering).at(-1)).toMatchObject({ visibleTo: grace.person.id });
    await workspace.until(() => grace.modal());
    await grace.closesModal();
    await grace.types(engineering, '@test-app hello');
    await workspace.settled();
    expect(heard).toEqual(['closed', 'app_mention']);
  });
});

type Seen = { headers: IncomingMessage['headers']; body: string };

describe('deliveries over HTTP', () => {
  const { startWorkspace, onCleanUp } = useWorkspace();

  /** Starts a server that records requests and returns these statuses in turn, repeating the last one. */
  async function startSink(statuses: number[], headers: Record<string, string> = {}) {
    const seen: Seen[] = [];
    const server = createServer(async (request, response) => {
      seen.push({ headers: request.headers, body: await text(request) });
      response.writeHead(statuses[Math.min(seen.length, statuses.length) - 1] ?? 200, headers);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    onCleanUp(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  }

  it("are signed, and forms have exactly Slack's content type", async () => {
    const { seen, url } = await startSink([200]);
    const workspace = await startWorkspace({ deliverTo: { mode: 'http', url } });
    await workspace.as('ada').types(engineering, '/try it');
    const [request] = seen;
    const seconds = String(request?.headers['x-slack-request-timestamp']);
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(request?.headers['x-slack-signature']).toBe(
      signRequest(workspace.signingSecret, seconds, request?.body ?? ''),
    );
    expect(new URLSearchParams(request?.body).get('command')).toBe('/try');
  });

  it('are retried if an event is rejected, with number and reason of the retry', async () => {
    const { seen, url } = await startSink([500, 500, 200]);
    const deliverTo = { mode: 'http' as const, url };
    const workspace = await startWorkspace({ deliverTo, retryDelaysMs: [1, 1, 1] });
    await workspace.as('ada').opensHome();
    await workspace.settled();
    const retries = seen.map(({ headers }) => [
      headers['x-slack-retry-num'],
      headers['x-slack-retry-reason'],
    ]);
    expect(retries).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
      ['2', 'http_error'],
    ]);
    const ids = new Set(seen.map(({ body }) => JSON.parse(body)['event_id']));
    expect(ids.size).toBe(1);
  });

  it('are not retried if the app declines retries', async () => {
    const { seen, url } = await startSink([500], { 'x-slack-no-retry': '1' });
    const deliverTo = { mode: 'http' as const, url };
    const workspace = await startWorkspace({ deliverTo, retryDelaysMs: [1, 1] });
    await workspace.as('ada').opensHome();
    await workspace.settled();
    expect(seen).toHaveLength(1);
  });

  it('fail if the app takes too long', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onCleanUp(async () => server.close().closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const workspace = await startWorkspace({ deliverTo: { mode: 'http', url }, ackWithinMs: 50 });
    const { outcome } = await workspace.as('ada').types(engineering, '/try');
    expect(outcome).toMatchObject({ acked: false, error: 'operation_timeout' });
  });

  it('are never retried for commands', async () => {
    const { seen, url } = await startSink([500]);
    const deliverTo = { mode: 'http' as const, url };
    const workspace = await startWorkspace({ deliverTo, retryDelaysMs: [1, 1] });
    const { outcome } = await workspace.as('ada').types(engineering, '/try');
    await workspace.settled();
    expect(outcome).toMatchObject({ acked: false, error: 'dispatch_failed' });
    expect(seen).toHaveLength(1);
  });
});
