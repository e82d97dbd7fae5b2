import type { Actor } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../../../packages/runs-service/test/support/runs-service.ts';
import {
  detailsOf,
  general,
  held,
  opensModal,
  picks,
  runMessageShowing,
  showMore,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { opensSettings, savesSettings } from '../../support/product/settings.ts';

const key = 'hush-hush-1';
const servers = (headers: object, url = 'https://mcp.example.com') =>
  JSON.stringify({ docs: { url, headers } }, null, 2);
const shown = servers({ 'X-Key': '(not shown)' });
const forChannel = { save_for: { value: 'channel' } };

async function startedProduct() {
  const product = await startProduct();
  const bot = await product.startBot();
  const { workspace, service } = product;
  return {
    ...product,
    bot,
    opens: (person: Actor, command: string) => opensModal(product, person, command),
    /** Starts a run with the key, and saves it as the channel preset Nightly. */
    async savesNightly() {
      const { ada } = product;
      await opensModal(product, ada, '/agent model=small title="With a key" go');
      const mcp_servers = servers({ 'X-Key': key });
      expect(await ada.submits({ mcp_servers, save_as: 'Nightly', ...forChannel })).toEqual({});
      return await runMessageShowing(workspace, 'Succeeded');
    },
    /** Returns the configuration that the runs service received for the run with this title. */
    async sentFor(title: string) {
      await runMessageShowing(workspace, title);
      await runMessageShowing(workspace, 'Succeeded');
      const answer = await clientOf(service.apiUrl).request('/agent/runs');
      const { runs } = (await answer.json()) as { runs: { title: string; agent_config: object }[] };
      return textOf(runs.find((run) => run.title === title)?.agent_config);
    },
    /** Returns everything that the app sent to Slack: calls, and answers to deliveries. */
    toldSlack: () =>
      textOf(
        workspace.traffic
          .recent()
          .map(({ direction, request, answer }) => (direction === 'delivery' ? answer : request)),
      ),
  };
}

const serversOf = (person: Actor) => held(person, 'mcp_servers')?.['value'];

describe('keys of MCP servers in the form', () => {
  it('from a preset or an earlier run are hidden but sent, after a restart too, and must be entered again when gone', async () => {
    const { ada, grace, workspace, bot, startBot, savesNightly, opens, sentFor, toldSlack } =
      await startedProduct();
    const { ts: messageTs } = await savesNightly();
    await opens(grace, '/agent preset=nightly title="Of the preset" go');
    expect(serversOf(grace)).toBe(shown);
    await bot.stop();
    await startBot();
    expect(await grace.submits()).toEqual({});
    expect(await sentFor('Of the preset')).toContain(key);
    await ada.types(general, '/agent run --dry-run preset=nightly go');

    await picks({ workspace }, ada, { channelId: general, messageTs }, 'Run again with changes');
    await workspace.until(() => ada.modal());
    expect(serversOf(ada)).toBe(shown);
    expect(await ada.submits({ title: 'Once more', base_prompt: 'Be kind.' })).toEqual({});
    expect(await sentFor('Once more')).toContain(key);
    const message = await runMessageShowing(workspace, 'Once more');
    const details = await detailsOf({ workspace }, ada, message);
    expect(details).toContain('Base prompt: Be kind. (typed)');
    expect(details).toContain('MCP servers: docs (from the earlier run)');

    await opens(grace, '/agent preset=nightly title="Typed again" go');
    const view = await opens(ada, '/agent presets');
    await ada.clicks({ view }, 'presets:remove');
    await workspace.until(() => textOf(ada.modal()?.content).includes('No presets yet'));
    const { errors } = await grace.submits({ mcp_servers: shown, preset: null });
    expect(errors?.['mcp_servers']).toContain('no longer saved (channel preset Nightly)');
    expect(toldSlack()).toContain('(not shown)');
    expect(toldSlack()).not.toContain(key);
    expect(await grace.submits({ mcp_servers: servers({ 'X-Key': 'again-again-3' }) })).toEqual({});
    expect(await sentFor('Typed again')).toContain('again-again-3');
  });

  it('from the defaults come with More options, and typed keys override them', async () => {
    const product = await startedProduct();
    const { ada, grace, opens, sentFor, toldSlack } = product;
    const first = { 'channel:mcp_servers': servers({ 'X-Key': key }), 'channel:name': 'a' };
    await savesSettings(product, ada, 'channel:defaults', first);

    await opensSettings(product, grace, 'channel:defaults');
    expect(held(grace, 'channel:mcp_servers')?.['value']).toBe(shown);
    const elsewhere = servers({ 'X-Key': '(not shown)' }, 'https://elsewhere.example');
    const { errors } = await grace.submits({ 'channel:mcp_servers': elsewhere });
    expect(errors?.['channel:mcp_servers']).toContain('Restore those');
    const more = servers({ 'X-Key': '(not shown)', 'X-More': 'typed' });
    const changed = await grace.submits({ 'channel:mcp_servers': more });
    expect(changed.errors?.['channel:mcp_servers']).toContain('Restore those');
    const whole = servers({ 'X-Key': key, 'X-More': 'typed' });
    expect(await grace.submits({ 'channel:mcp_servers': whole, 'channel:name': 'b' })).toEqual({});

    await opens(ada, '/agent title="With defaults" go');
    await showMore(product);
    expect(serversOf(ada)).toBe(servers({ 'X-Key': '(not shown)', 'X-More': '(not shown)' }));
    expect(await ada.submits()).toEqual({});
    expect(await sentFor('With defaults')).toContain(textOf({ 'X-Key': key, 'X-More': 'typed' }));

    await opens(ada, '/agent title="With mine" go');
    await showMore(product);
    const own = servers({ 'X-Key': 'mine-mine-2', 'X-More': '(not shown)' });
    expect(await ada.submits({ mcp_servers: own })).toEqual({});
    const sent = textOf({ 'X-Key': 'mine-mine-2', 'X-More': 'typed' });
    expect(await sentFor('With mine')).toContain(sent);
    expect(toldSlack()).not.toMatch(/hush-hush|mine-mine/);
  });
});
