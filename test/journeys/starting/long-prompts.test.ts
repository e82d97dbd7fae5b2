import { expect, it } from 'vitest';
import {
  general,
  held,
  opensModal,
  picks,
  promptsSent,
  runMessageShowing,
  showMore,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

const long = `Begin here. ${'A line of a stack trace 😀\n'.repeat(200)}The very end.`;
const restTick = 'Send all ';

it('a prompt that is too long for the form is sent whole, also again with changes and from a message', async () => {
  const product = await startedProduct();
  const { ada, workspace } = product;
  const sent = () => promptsSent(product);
  await opensModal(product, ada, `/agent ${long}`);
  expect(textOf(ada.modal()?.content)).toContain(restTick);
  await showMore(product);
  expect(textOf(ada.modal()?.content)).toContain(restTick);
  expect(await ada.submits({ title: 'Long' })).toEqual({});
  const first = await runMessageShowing(workspace, 'Succeeded');
  expect(await sent()).toEqual([long]);

  const at = { channelId: general, messageTs: first.ts };
  await picks(product, ada, at, 'Run again with changes');
  await workspace.until(() => textOf(ada.modal()?.content).includes(restTick));
  expect(await ada.submits({ model_id: { value: 'small' } })).toEqual({});
  await runMessageShowing(workspace, 'repeats');
  await runMessageShowing(workspace, 'Succeeded');
  expect(await sent()).toEqual([long, long]);

  const { message } = await ada.types(general, long);
  const place = { channelId: general, ts: message?.ts ?? '' };
  await ada.usesMessageShortcut('message-shortcut:run', place);
  await workspace.until(() => textOf(ada.modal()?.content).includes(restTick));
  const shown = String(held(ada, 'prompt')?.['value']);
  expect(await ada.submits({ prompt: shown.replace('Begin here.', 'Explain:') })).toEqual({});
  const edited = long.replace('Begin here.', 'Explain:');
  await expect.poll(sent).toEqual([edited, long, long]);
});
