import { expect, it } from 'vitest';
import {
  opensModal,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

it('a run goes from the command over the modal to one message that ends in Succeeded, or in what went wrong', async () => {
  const product = await startedProduct();
  const { workspace, ada } = product;
  const modal = await opensModal(product, ada, '/agent count the TODO comments');
  expect(textOf(modal.content)).toContain('count the TODO comments');
  expect(await ada.submits()).toEqual({});
  expect(ada.modal()).toBeUndefined();
  const ended = await runMessageShowing(workspace, 'Succeeded');
  expect(textOf(ended)).toContain('Open session');
  expect(runMessagesIn(workspace)).toHaveLength(1);

  await opensModal(product, ada, '/agent fail now');
  await ada.submits();
  const failed = await runMessageShowing(workspace, 'Failed');
  expect(textOf(failed)).toContain('the tests do not pass');
});
