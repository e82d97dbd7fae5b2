import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  general,
  held,
  opensModal,
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

async function openedForm(command: string) {
  const product = await startProduct();
  const { speak, ...runsApi } = await startSilentApi();
  await product.startBot({ runsApi });
  await opensModal(product, product.ada, command);
  return { ...product, speak };
}

describe('the form while the runs API does not answer', () => {
  it('opens with what is known; later data overwrites nothing that was typed', async () => {
    const { ada, workspace, speak } = await openedForm('/agent env=shop go');
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

  it('opens More options, offers what was typed in a picker, and is accepted', async () => {
    const product = await openedForm('/agent go');
    const { ada, workspace } = product;
    await showMore(product);
    expect(await ada.searches('environment_id', 'mine')).toMatchObject([{ value: 'mine' }]);
    expect(await ada.submits({ environment_id: { value: 'mine' }, name: 'nightly' })).toEqual({});
    await workspace.until(() => textOf(workspace.messagesIn(general)).includes('  mine"'));
  });
});

describe('a form that Slack no longer opens', () => {
  it('is reported by direct message if the app cannot write in the channel', async () => {
    const product = await startProduct();
    await product.startBot();
    const { ada, workspace } = product;
    const refuse = (method: string, error: string) =>
      workspace.faults.inject({ name: 'error_answer', method, error });
    await refuse('views.open', 'expired_trigger_id');
    await refuse('chat.postEphemeral', 'channel_not_found');
    await ada.types(general, '/agent count the TODO comments');
    const told = await workspace.until(() => ada.sees(ada.directChannelId).at(-1));
    expect(textOf(told)).toContain('3 seconds');
    expect(textOf(told)).toContain('/agent count the TODO comments');
    expect(textOf(ada.sees(general))).not.toContain('3 seconds');
  });
});
