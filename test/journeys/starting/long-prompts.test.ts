import { describe, expect, it } from 'vitest';
import {
  general,
  held,
  opensModal,
  picks,
  promptsSent,
  runMessageShowing,
  showMore,
  startedProduct as startedBot,
  textOf,
} from '../../support/product/product.ts';

const long = `Begin here. ${'A line of a stack trace 😀\n'.repeat(200)}The very end.`;
const restTick = 'Also send the other ';

async function startedProduct() {
  const product = await startedBot();
  return { ...product, sent: () => promptsSent(product) };
}

describe('a prompt that is too long for the form', () => {
  it('is sent whole from the form, with More options too, and when it is run again with changes', async () => {
    const product = await startedProduct();
    const { ada, workspace, sent } = product;
    await opensModal(product, ada, `/agent ${long}`);
    expect(textOf(ada.modal()?.content)).toContain(restTick);
    await showMore(product);
    expect(textOf(ada.modal()?.content)).toContain(restTick);
    expect(await ada.submits({ title: 'Long' })).toEqual({});
    const first = await runMessageShowing(workspace, 'Succeeded');
    expect(await sent()).toEqual([long]);

    await picks(
      product,
      ada,
      { channelId: general, messageTs: first.ts },
      'Run again with changes',
    );
    await workspace.until(() => textOf(ada.modal()?.content).includes(restTick));
    expect(await ada.submits({ model_id: { value: 'small' } })).toEqual({});
    await runMessageShowing(workspace, 'repeats');
    await runMessageShowing(workspace, 'Succeeded');
    expect(await sent()).toEqual([long, long]);
  });

  it('is sent whole from a message shortcut, with its beginning edited', async () => {
    const { ada, workspace, sent } = await startedProduct();
    const { message } = await ada.types(general, long);
    const place = { channelId: general, ts: message?.ts ?? '' };
    await ada.usesMessageShortcut('message-shortcut:run', place);
    await workspace.until(() => textOf(ada.modal()?.content).includes(restTick));
    const shown = String(held(ada, 'prompt')?.['value']);
    expect(await ada.submits({ prompt: shown.replace('Begin here.', 'Explain:') })).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');
    expect(await sent()).toEqual([long.replace('Begin here.', 'Explain:')]);
  });

  it('is only what the form shows if the box is cleared', async () => {
    const product = await startedProduct();
    const { ada, workspace, sent } = product;
    await opensModal(product, ada, `/agent ${long}`);
    expect(await ada.submits({ prompt: 'Something short', rest: [] })).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');
    expect(await sent()).toEqual(['Something short']);
  });
});
