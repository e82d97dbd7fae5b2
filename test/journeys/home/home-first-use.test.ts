import { expect, it } from 'vitest';
import {
  startRunsService,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { homeOf, openHome, startElsewhere } from '../../support/product/home.ts';
import { runMessageShowing, startProduct, textOf } from '../../support/product/product.ts';

it("the Home tab of someone without runs explains three ways to start one and leads to everyone's runs, but lists nothing for guests", async () => {
  const { service, workspace, until, clicks, text } = await openHome();
  await until('*1. Type a command.*');
  expect(text()).toMatch(/\*2\. Mention the app\.\*.*\*3\. Start from a message\.\*/s);
  await startElsewhere(service.apiUrl, ['By someone']);
  await clicks('home:everyone');
  await until('By someone');
  const guest = await homeOf({ workspace }, 'Sam Guest');
  await guest.until("Guests can't see");
  const guestId = workspace.as('Sam Guest').person.id;
  const published = () =>
    workspace.traffic.recent().filter(({ request }) => Object(request).user_id === guestId);
  await workspace.until(() => textOf(published()).includes("Guests can't see"));
  expect(textOf(published())).not.toMatch(/By someone|home:creator|New run/);
});

it('the Home tab says what is missing: who someone is, environments, a valid key, a channel', async () => {
  const product = await startProduct();
  const { workspace, ada } = product;
  for (const { id, kind, memberIds } of workspace.channels) {
    if (kind !== 'im' && memberIds.includes(workspace.bot.userId)) await ada.removesApp(id);
  }
  const { service: empty } = await startRunsService({ environments: [] });
  workspace.faults.inject({ name: 'server_error', method: 'users.info', times: 10_000 });
  const bot = await product.startBot({ runsApi: { baseUrl: empty.apiUrl, apiKey: testKey } });
  const { until, clicks, text } = await homeOf(product, 'ada');
  await until("Slack can't say who you are");
  expect(text()).not.toContain('New run');
  workspace.faults.clear();
  await clicks('home:refresh');
  await until('*1. Type a command.*');
  await until('New run');
  await until('lists no environments');
  await clicks('home:settings');
  await workspace.until(() => textOf(ada.modal()?.content).includes('Your settings'));
  await ada.closesModal();
  await bot.stop();

  const baseUrl = product.service.apiUrl;
  const rejected = await product.startBot({ runsApi: { baseUrl, apiKey: 'no-such-key' } });
  await ada.opensHome();
  await until("rejects the app's API key");
  await rejected.stop();
  await product.startBot();
  await clicks('home:check');
  await workspace.until(() => !text().includes("rejects the app's API key"));

  await until("isn't in any channel yet");
  await clicks('home:add-to-channel');
  await workspace.until(() => ada.modal());
  expect(await ada.submits({ channel: 'C04RANDOM01' })).toEqual({});
  await workspace.until(() => !text().includes("isn't in any channel yet"));
  await ada.types('C04RANDOM01', '/agent run count');
  await runMessageShowing(workspace, 'Succeeded', 'C04RANDOM01');
});
