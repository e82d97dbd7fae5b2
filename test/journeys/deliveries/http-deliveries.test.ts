import { describe, expect, it } from 'vitest';
import { overHttp } from '../../support/product/delivery.ts';
import { general, runMessageShowing, startProduct } from '../../support/product/product.ts';

describe('HTTP mode', overHttp, () => {
  it('takes signed deliveries, refuses unsigned ones, and carries a run to its end', async () => {
    const { workspace, startBot, ada, config } = await startProduct();
    await startBot();
    const { delivery } = config.slack;
    const address = delivery.mode === 'http' ? `http://${delivery.host}:${delivery.port}` : '';

    await ada.types(general, '/agent count the TODO comments');
    await workspace.until(() => ada.modal());
    expect(await ada.submits()).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');

    const body = 'command=%2Fagent&text=forged';
    const forged = await fetch(`${address}/slack/events`, { method: 'POST', body });
    expect(forged.status).toBe(401);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });
});
