import { expect, it } from 'vitest';
import {
  general,
  promptsSent,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
} from '../../support/product/product.ts';

it('a command or a form that Slack delivers twice opens one form and starts one run, without an error', async () => {
  const product = await startedProduct();
  const { workspace, ada } = product;
  await workspace.faults.inject({ name: 'delivered_twice', kind: 'slash_commands' });
  await ada.types(general, '/agent count');
  await workspace.until(() => ada.modal());
  await workspace.faults.inject({ name: 'delivered_twice', kind: 'interactive' });
  await ada.submits();
  await runMessageShowing(workspace, 'Succeeded');
  const opened = workspace.traffic.recent().filter(({ name }) => name === 'views.open');
  expect(opened).toHaveLength(1);

  await workspace.faults.inject({ name: 'delivered_twice', kind: 'slash_commands' });
  await ada.types(general, '/agent run once only');
  await runMessageShowing(workspace, 'once only');
  await runMessageShowing(workspace, 'Succeeded');
  await workspace.settled();
  expect(runMessagesIn(workspace)).toHaveLength(2);
  expect(await promptsSent(product)).toEqual(['once only', 'count']);
  expect(ada.sees(general).filter(({ visibleTo }) => visibleTo !== undefined)).toEqual([]);
});
