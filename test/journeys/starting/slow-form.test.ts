import { expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { startApiGate } from '../../support/network/api-gate.ts';
import {
  general,
  held,
  opensModal,
  picked,
  showMore,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const name = 'The shop and its tests';

/** Opens the form with a runs API that lists its environments only when the test releases it. */
async function openedForm(command: string) {
  const { service } = await startRunsService({
    environments: [shellEnvironment('true', { id: 'shop', name })],
  });
  const gate = await startApiGate(service.apiUrl);
  const { release } = gate.holdAnswers((path) => path.includes('/agent/environments'));
  const product = await startProduct();
  await product.startBot({ runsApi: { baseUrl: gate.baseUrl, apiKey: testKey } });
  await opensModal(product, product.ada, command);
  return { ...product, release };
}

it('the form opens while the runs API does not answer, and later data overwrites nothing that was typed', async () => {
  const { ada, workspace, release } = await openedForm('/agent env=shop title=First go');
  expect(held(ada, 'environment_id')?.['selected_option']).toMatchObject({
    value: 'shop',
    text: { text: 'shop' },
  });
  await ada.fills({ prompt: 'typed meanwhile', title: 'Also typed' });
  release();
  await workspace.until(() => textOf(ada.modal()?.content).includes(name));
  expect(held(ada, 'prompt')?.['value']).toBe('typed meanwhile');
  expect(held(ada, 'title')?.['value']).toBe('Also typed');
  expect(textOf(held(ada, 'environment_id'))).toContain('shop');
});

it('More options opens, and the form is accepted, while the runs API does not answer', async () => {
  const product = await openedForm('/agent go');
  const { ada, workspace } = product;
  await showMore(product);
  expect(await ada.searches('environment_id', 'mine')).toMatchObject([{ value: 'mine' }]);
  expect(await ada.submits({ environment_id: picked('mine'), name: 'nightly' })).toEqual({});
  await workspace.until(() => textOf(workspace.messagesIn(general)).includes('  mine"'));
});
