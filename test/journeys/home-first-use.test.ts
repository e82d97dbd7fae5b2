import { describe, expect, it } from 'vitest';
import { homeOf, openHome, startElsewhere } from '../support/home.ts';
import { runMessageShowing, startProduct, textOf } from '../support/product.ts';
import { startRunsService, testKey } from '../support/runs-service.ts';

describe('the Home tab of who has not begun', () => {
  it('explains three ways to start, and leads to everyone’s runs', async () => {
    const { service, until, clicks, text } = await openHome();
    await until('*1. Type a command.*');
    expect(text()).toMatch(/\*2\. Mention me\.\*.*\*3\. Start from a message\.\*/s);
    await startElsewhere(service.apiUrl, ['Of somebody']);
    await clicks('home:everyone');
    await until('Of somebody');
  });

  it('says that the service lists no environment, and opens the settings to set one', async () => {
    const { service } = await startRunsService({ environments: [] });
    const runsApi = { baseUrl: service.apiUrl, apiKey: testKey };
    const { ada, workspace, until, clicks } = await openHome('ada', { runsApi });
    await until('lists no environment');
    await clicks('home:settings');
    await workspace.until(() => textOf(ada.modal()?.content).includes('My settings'));
  });

  it('says that the key is refused, and looks again when asked to', async () => {
    const product = await startProduct();
    const baseUrl = product.service.apiUrl;
    const bot = await product.startBot({ runsApi: { baseUrl, apiKey: 'no-such-key' } });
    const { until, clicks } = await homeOf(product, 'ada');
    await until('The runs service refuses our key');
    await bot.stop();
    await product.startBot();
    await clicks('home:check');
    await product.workspace.until(
      () => !textOf(product.ada.home()?.content).includes('refuses our key'),
    );
  });

  it('says that the app is in no channel, and joins the one that is picked', async () => {
    const product = await startProduct();
    const { channels, bot } = product.workspace;
    for (const { id, kind, memberIds } of channels) {
      if (kind !== 'im' && memberIds.includes(bot.userId)) await product.ada.removesApp(id);
    }
    await product.startBot();
    const { until, clicks } = await homeOf(product, 'ada');
    await until('I am in no channel yet');
    await clicks('home:add-to-channel');
    await product.workspace.until(() => product.ada.modal());
    expect(await product.ada.submits({ channel: 'C04RANDOM01' })).toEqual({});
    await product.workspace.until(
      () => !textOf(product.ada.home()?.content).includes('I am in no channel yet'),
    );
    await product.ada.types('C04RANDOM01', '/agent run count');
    await runMessageShowing(product.workspace, 'Succeeded', 'C04RANDOM01');
  });
});

describe('the Home tab of who may see no runs', () => {
  it('says so to a guest, and lists nothing', async () => {
    const { service, ...product } = await startProduct();
    await product.startBot();
    await startElsewhere(service.apiUrl, ['A secret of the team']);
    const { until, text } = await homeOf(product, 'Sam Guest');
    await until("Guests can't see");
    expect(text()).not.toMatch(/A secret|home:creator|New run/);
  });

  it('shows nothing while Slack does not say who somebody is, and the runs when it does', async () => {
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
