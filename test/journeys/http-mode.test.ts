import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { general, runMessageShowing, startProduct } from '../support/product.ts';

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
