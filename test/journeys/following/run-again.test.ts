import { describe, expect, it } from 'vitest';
import {
  detailsOf,
  general,
  picked,
  picks,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { savesSettings } from '../../support/product/settings.ts';

const change = 'Run again with changes';

async function endedRun() {
  const product = await startProduct();
  const bot = await product.startBot();
  const { ada, workspace } = product;
  await ada.types(general, '/agent run env=shell model=small title="The first" count them');
  const ended = await runMessageShowing(workspace, 'Succeeded');
  const place = { channelId: general, messageTs: ended.ts };
  const setDefaults = (fields: Record<string, unknown>) =>
    savesSettings(product, ada, 'person:defaults', fields);
  const adaSees = (ts: string) => detailsOf(product, ada, { channelId: general, ts });
  return { ...product, bot, place, setDefaults, detailsOf: adaSees };
}

describe('Run again', () => {
  it('starts the same run for the person who clicks, once for a double click', async () => {
    const { grace, workspace, place, detailsOf } = await endedRun();
    await Promise.all([grace.clicks(place, 'run:again'), grace.clicks(place, 'run:again')]);
    const again = await workspace.until(() =>
      workspace
        .messagesIn(general)
        .find((each) => /Succeeded.*repeats <[^>|]*\|an earlier run>/.test(textOf(each.blocks))),
    );
    expect(textOf(again)).toContain(`<@${grace.person.id}>`);
    expect(await detailsOf(again.ts)).toContain('Model: small (from the earlier run)');
    await workspace.settled();
    const runs = workspace
      .messagesIn(general)
      .filter(({ metadata }) => textOf(metadata).includes('slash_agent_run'));
    expect(runs.filter(({ threadTs }) => !threadTs)).toHaveLength(2);
  });

  it('with changes opens a filled form without defaults, and links to the earlier run, also after a restart', async () => {
    const { ada, grace, workspace, place, setDefaults, startBot, bot, detailsOf } =
      await endedRun();
    await setDefaults({ 'person:name': 'my-name' });
    await picks({ workspace }, ada, place, change);
    const modal = await workspace.until(() => ada.modal());
    expect(textOf(modal.values)).toMatch(/count them.*small/s);
    expect(textOf(modal.values)).not.toContain('my-name');
    await ada.submits({ model_id: picked('large'), base_prompt: 'Be kind to <!here>.' });
    const second = await runMessageShowing(workspace, 'repeats');
    expect(textOf(second)).not.toContain('Be kind');
    const details = await detailsOf(second.ts);
    expect(details).toContain('Environment: shell (from the earlier run)');
    expect(details).toContain('Model: large (typed)');
    await runMessageShowing(workspace, 'Succeeded');
    await bot.stop();
    await startBot();
    await picks({ workspace }, grace, { channelId: general, messageTs: second.ts }, change);
    await workspace.until(() => grace.modal());
    await grace.submits({ prompt: 'count them twice', environment_id: null });
    const third = await runMessageShowing(workspace, 'count them twice');
    const earlier = `/archives/${general}/p${second.ts.replace('.', '')}|an earlier run>`;
    expect(textOf(third)).toContain(earlier);
    expect(await detailsOf(third.ts)).toContain(earlier);
  });

  it('keeps the source of each value when settings change later', async () => {
    const { ada, workspace, place, setDefaults, detailsOf } = await endedRun();
    expect(await detailsOf(place.messageTs)).toContain('Environment: shell (typed)');
    await setDefaults({ 'person:model_id': picked('mine'), 'person:name': 'nights' });
    await ada.types(general, '/agent run title="The second" go');
    await runMessageShowing(workspace, 'The second');
    const { ts } = await runMessageShowing(workspace, 'Succeeded');
    await setDefaults({ 'person:model_id': picked('other'), 'person:name': '' });
    const details = await detailsOf(ts);
    expect(details).toContain('Environment: shell (chosen by the service)');
    expect(details).toContain("Model: mine (the creator's setting)");
    expect(details).toContain("Group: nights (the creator's setting)");
    await ada.clicks({ channelId: general, messageTs: ts }, 'run:again');
    const again = await runMessageShowing(workspace, 'repeats');
    expect(await detailsOf(again.ts)).toContain('Model: mine (from the earlier run)');
  });
});
