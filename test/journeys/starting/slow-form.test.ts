import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import {
  general,
  held,
  opensModal,
  picked,
  showMore,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

/** A runs API that answers only after `speak`. */
async function startSilentApi() {
  let speak = () => {};
  const told = new Promise<void>((resolve) => {
    speak = resolve;
  });
  const environments = [{ uid: 'shop', config: { name: 'The shop and its tests' } }];
  const server = createServer(async (_request, response) => {
    await told;
    const json = { 'content-type': 'application/json' };
    response.writeHead(200, json).end(JSON.stringify({ environments }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'key-of-the-stub', speak };
}

it('the form opens while the runs API does not answer, and later data overwrites nothing that was typed', async () => {
  const product = await startProduct();
  const { ada, workspace } = product;
  const { speak, ...runsApi } = await startSilentApi();
  await product.startBot({ runsApi });
  await opensModal(product, ada, '/agent env=shop go');
  expect(held(ada, 'environment_id')?.['selected_option']).toMatchObject({
    value: 'shop',
    text: { text: 'shop' },
  });
  await ada.fills({ prompt: 'typed meanwhile', title: 'Also typed' });
  speak();
  await workspace.until(() => textOf(ada.modal()?.content).includes('The shop and its tests'));
  expect(held(ada, 'prompt')?.['value']).toBe('typed meanwhile');
  expect(held(ada, 'title')?.['value']).toBe('Also typed');
  expect(textOf(held(ada, 'environment_id'))).toContain('shop');
});

it('More options opens, and the form is accepted, while the runs API does not answer', async () => {
  const product = await startProduct();
  const { ada, workspace } = product;
  const { speak: _, ...runsApi } = await startSilentApi();
  await product.startBot({ runsApi });
  await opensModal(product, ada, '/agent go');
  await showMore(product);
  expect(await ada.searches('environment_id', 'mine')).toMatchObject([{ value: 'mine' }]);
  expect(await ada.submits({ environment_id: picked('mine'), name: 'nightly' })).toEqual({});
  await workspace.until(() => textOf(workspace.messagesIn(general)).includes('  mine"'));
});
