import { expect, it } from 'vitest';
import { clientOf } from '../../../packages/runs-service/test/support/runs-service.ts';
import {
  general,
  held,
  opensModal,
  picks,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

const key = 'hush-hush-1';
const servers = JSON.stringify({ docs: { url: 'https://mcp.example.com', headers: { A: key } } });

it('keys stay with the person whose run it is, also when others run it again or save it', async () => {
  const product = await startedProduct();
  const { ada, grace, workspace, service } = product;
  /** Returns the configuration that the service received for the newest run. */
  const sentFor = async (title: string) => {
    await runMessageShowing(workspace, title);
    await runMessageShowing(workspace, 'Succeeded');
    const answer = await clientOf(service.apiUrl).request('/agent/runs');
    const { runs } = (await answer.json()) as { runs: { agent_config: object }[] };
    return textOf(runs[0]?.agent_config);
  };
  await opensModal(product, ada, '/agent model=small title="With a key" go');
  expect(await ada.submits({ mcp_servers: servers })).toEqual({});
  expect(await sentFor('With a key')).toContain(key);
  const message = await runMessageShowing(workspace, 'With a key');
  const place = { channelId: general, messageTs: message.ts };
  const opensForm = () =>
    workspace.until(() => textOf(grace.modal()?.content).includes('keys belong to'));

  // Nobody can restore the keys by typing the placeholder that another form shows.
  await picks({ workspace }, grace, place, 'Run again with changes');
  await opensForm();
  const { errors } = await grace.submits({ mcp_servers: servers.replace(key, '(not shown)') });
  expect(errors?.['mcp_servers']).toContain('(not shown)');
  await grace.closesModal();

  await grace.clicks(place, 'run:again');
  await opensForm();
  expect(held(grace, 'mcp_servers')?.['value'] ?? '').toBe('');
  expect(await grace.submits({ title: 'Again by Grace' })).toEqual({});
  expect(await sentFor('Again by Grace')).not.toContain('mcp.example.com');

  await grace.clicks(place, 'run:details');
  const details = await workspace.until(() => {
    const view = grace.modal();
    return textOf(view?.content).includes('*Timeline*') ? view : undefined;
  });
  await grace.clicks({ view: details }, 'run:save-preset');
  await workspace.until(() => textOf(grace.modal()?.content).includes('without the prompt'));
  await grace.submits({ save_as: 'mine' });
  await grace.closesModal();
  await grace.types(general, '/agent run preset=mine title="By preset" go');
  const byPreset = await sentFor('By preset');
  expect(byPreset).toContain('small');
  expect(byPreset).not.toContain('mcp.example.com');

  await picks({ workspace }, ada, place, 'Run again with changes');
  await workspace.until(() => textOf(held(ada, 'mcp_servers')).includes('(not shown)'));
  expect(await ada.submits({ title: 'Again by Ada' })).toEqual({});
  expect(await sentFor('Again by Ada')).toContain(key);
});
