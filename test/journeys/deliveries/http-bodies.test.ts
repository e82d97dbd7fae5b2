import { expect, it } from 'vitest';
import { sendsEndlessly, sendsSlowly } from '../../support/network/bad-senders.ts';
import { overHttp } from '../../support/product/delivery.ts';
import { general, runMessageShowing, startProduct } from '../../support/product/product.ts';

it('slow and endless bodies are cut off, while people go on working', overHttp, async () => {
  const { workspace, startBot, ada, config } = await startProduct();
  await startBot();
  const { delivery } = config.slack;
  const address = delivery.mode === 'http' ? `http://${delivery.host}:${delivery.port}` : '';
  const slack = { url: `${address}/slack/events` };

  const senders = Promise.all([
    sendsSlowly(slack),
    sendsEndlessly(slack),
    sendsSlowly({ url: `${address}/healthz` }),
    sendsEndlessly({ url: `${address}/elsewhere` }),
  ]);
  await ada.types(general, '/agent count the TODO comments');
  await workspace.until(() => ada.modal());
  expect(await ada.submits()).toEqual({});
  await runMessageShowing(workspace, 'Succeeded');

  for (const { reply } of await senders) expect(reply).not.toContain('200 OK');
});
