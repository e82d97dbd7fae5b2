import { describe, expect, it } from 'vitest';
import { homeOf, openHome, startElsewhere } from '../../support/product/home.ts';
import {
  runMessageShowing,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { startRunsService, testKey } from '../../support/runs-service.ts';

describe('the Home tab of someone without runs', () => {
  it("explains three ways to start a run and leads to everyone's runs", async () => {
    const { service, until, clicks, text } = await openHome();
    await until('*1. Type a command.*');
    expect(text()).toMatch(/\*2\. Mention the app\.\*.*\*3\. Start from a message\.\*/s);
    await startElsewhere(service.apiUrl, ['By someone']);
    await clicks('home:everyone');
    await until('By someone');
  });

  it('says that the service lists no environments and opens the settings', async () => {
    const { service } = await startRunsService({ environments: [] });
    const runsApi = { baseUrl: service.apiUrl, apiKey: testKey };
    const { ada, workspace, until, clicks } = await openHome('ada', { runsApi });
    await until('lists no environments');
    await clicks('home:settings');
    await workspace.until(() => textOf(ada.modal()?.content).includes('Your settings'));
  });

  it('says that the key is rejected and checks again on a click', async () => {
    const product = await startProduct();
    const baseUrl = product.service.apiUrl;
    const bot = await product.startBot({ runsApi: { baseUrl, apiKey: 'no-such-key' } });
    const { until, clicks } = await homeOf(product, 'ada');
    await until("rejects the app's API key");
    await bot.stop();
    await product.startBot();
    await clicks('home:check');
    await product.workspace.until(
      () => !textOf(product.ada.home()?.content).includes("rejects the app's API key"),
    );
  });

  it('says that the app is in no channel and joins the picked one', async () => {
    const product = await startProduct();
    const { channels, bot } = product.workspace;
    for (const { id, kind, memberIds } of channels) {
      if (kind !== 'im' && memberIds.includes(bot.userId)) await product.ada.removesApp(id);
    }
    await product.startBot();
    const { until, clicks } = await homeOf(product, 'ada');
    await until("isn't in any channel yet");
    await clicks('home:add-to-channel');
    await product.workspace.until(() => product.ada.modal());
    expect(await product.ada.submits({ channel: 'C04RANDOM01' })).toEqual({});
    await product.workspace.until(
      () => !textOf(product.ada.home()?.content).includes("isn't in any channel yet"),
    );
    await product.ada.types('C04RANDOM01', '/agent run count');
    await runMessageShowing(product.workspace, 'Succeeded', 'C04RANDOM01');
  });
});

describe('the Home tab of someone who may not see runs', () => {
  it('says so to a guest and lists nothing', async () => {
    const { service, ...product } = await startedProduct();
    await startElsewhere(service.apiUrl, ['A secret of the team']);
    const { until, text } = await homeOf(product, 'Sam Guest');
    await until("Guests can't see");
    expect(text()).not.toMatch(/A secret|home:creator|New run/);
  });

  it('lists nothing until Slack says who they are', async () => {
    const { workspace, startBot, ada, ...product } = await startProduct();
    workspace.faults.inject({ name: 'server_error', method: 'users.info', times: 20 });
    await startBot();
    const { until, clicks } = await homeOf({ workspace, ...product }, 'ada');
    await until("Slack didn't say who you are");
    workspace.faults.clear();
    await clicks('home:refresh');
    await until('*1. Type a command.*');
    expect(textOf(ada.home()?.content)).toContain('New run');
  });
});
