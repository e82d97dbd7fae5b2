import { describe, expect, it } from 'vitest';
import {
  addsConnection,
  modalShowing,
  opensConnections,
  pressesFor,
} from '../../support/product/connecting.ts';
import { createKeyedService } from '../../support/product/keyed-service.ts';
import { general, held, startProduct, textOf } from '../../support/product/product.ts';
import { impatientMs } from '../../support/product/waits.ts';

/** Opens the list of connections with a second service that answers only when the test releases it. */
async function openedList() {
  const product = await startProduct({ connectionHosts: ['127.0.0.1'] });
  const second = await createKeyedService('second');
  const bot = await product.startBot();
  await opensConnections(product, product.ada, general);
  await bot.stop();
  await product.startBot({}, undefined, { ackWaitMs: impatientMs });
  return { ...product, second, ...second.holdAnswers() };
}

type Product = Awaited<ReturnType<typeof openedList>>;

const adds = (product: Product, key: string) =>
  addsConnection(product, product.ada, { name: 'second', url: product.second.url, key });

describe('a key that takes long to check', () => {
  it('is acknowledged while it is checked; the form comes back with the reason, or shows that it was added', async () => {
    const product = await openedList();
    const { ada, second } = product;
    expect(await adds(product, 'wrong-key-0123456789')).toEqual({});
    await modalShowing(product, ada, 'Checking the key');
    await product.reached;
    product.release();
    const shown = await modalShowing(product, ada, 'rejected this key');
    expect(shown).not.toContain('wrong-key-0123456789');
    expect(held(ada, 'name')?.['value']).toBe('second');
    expect(held(ada, 'url')?.['value']).toBe(second.url);
    expect(await ada.submits({ key: second.adminKey })).toEqual({});
    await modalShowing(product, ada, '*second* is added');
    await ada.closesModal();
    await modalShowing(product, ada, '*second*  ·');

    const { release } = second.holdAnswers();
    await pressesFor(ada, 'second', 'connections:replace');
    await modalShowing(product, ada, 'Replace key');
    expect(await ada.submits({ key: 'wrong-key-0123456789' })).toEqual({});
    await modalShowing(product, ada, 'Checking the key');
    release();
    await modalShowing(product, ada, 'rejected this key');
    expect(textOf(ada.modal()?.content)).toContain('Replace');
    expect(await ada.submits({ key: second.spareKey })).toEqual({});
    await modalShowing(product, ada, 'uses the new key');
  });

  it('is not rejected because Slack takes a moment to say who the person is', async () => {
    const product = await openedList();
    product.release();
    const slow = { name: 'answer_delayed', method: 'users.info', times: 10 } as const;
    await product.workspace.faults.inject({ ...slow, delayMs: 1_500 });
    expect(await adds(product, product.second.adminKey)).toEqual({});
    await modalShowing(product, product.ada, '*second* is added');
  });
});
