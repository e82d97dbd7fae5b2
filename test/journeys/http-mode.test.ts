import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { general, runMessageShowing, startProduct } from '../support/product.ts';

/** A port that was free a moment ago: the bot must be told one, since Slack must know it. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

describe('HTTP mode', () => {
  it('takes signed deliveries, refuses unsigned ones, and carries a run to its end', async () => {
    const { workspace, startBot, ada } = await startProduct();
    const port = await freePort();
    const { botToken, apiUrl, signingSecret } = workspace;
    const delivery = { mode: 'http', signingSecret, port, host: '127.0.0.1' } as const;
    await startBot({ slack: { botToken, apiUrl, delivery } });
    const url = `http://127.0.0.1:${port}/slack/events`;
    workspace.deliverTo({ mode: 'http', url });

    await ada.types(general, '/agent count the TODO comments');
    await workspace.until(() => ada.modal());
    expect(await ada.submits()).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');

    const forged = await fetch(url, { method: 'POST', body: 'command=%2Fagent&text=forged' });
    expect(forged.status).toBe(401);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  });
});
