import { expect, it } from 'vitest';
import { sendsEndlessly, sendsSlowly } from '../../../packages/base/test/support/bad-senders.ts';
import { overHttp } from '../../support/product/delivery.ts';
import { opensModal, runMessageShowing, startedProduct } from '../../support/product/product.ts';

it(
  'HTTP mode takes signed deliveries, rejects unsigned ones, and cuts off slow and endless bodies meanwhile',
  overHttp,
  async () => {
    const product = await startedProduct();
    const { workspace, ada, config } = product;
    const { delivery } = config.slack;
    const address = delivery.mode === 'http' ? `http://${delivery.host}:${delivery.port}` : '';
    const senders = Promise.all([
      sendsSlowly({ url: `${address}/slack/events` }),
      sendsSlowly({ url: `${address}/healthz` }),
      sendsEndlessly({ url: `${address}/elsewhere` }),
    ]);

    await opensModal(product, ada, '/agent count the TODO comments');
    expect(await ada.submits()).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');
    const body = 'command=%2Fagent&text=forged';
    const forged = await fetch(`${address}/slack/events`, { method: 'POST', body });
    expect(forged.status).toBe(401);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);

    for (const { reply } of await senders) expect(reply).not.toContain('200 OK');
  },
);
