import type { Actor } from 'slack-stand-in/people/actor';
import { describe, expect, it } from 'vitest';
import {
  general,
  opensModal,
  picked,
  runMessageShowing,
  showMore,
  startProduct,
  textOf,
} from '../support/product.ts';

async function startedProduct() {
  const product = await startProduct();
  await product.startBot();
  const { workspace } = product;
  const shows = (person: Actor, words: string) =>
    workspace.until(() => textOf(person.modal()?.content).includes(words));
  return {
    ...product,
    shows,
    alan: workspace.as('alan'),
    opens: (person: Actor, command: string) => opensModal(product, person, command),
    /** Saves a preset from the form, without waiting for the run. */
    async saves(person: Actor, options: string, fields: Record<string, unknown>) {
      await opensModal(product, person, `/agent ${options} go`);
      return await person.submits(fields);
    },
    async dryRun(person: Actor, options: string) {
      const before = person.sees(general).length;
      await person.types(general, `/agent run --dry-run ${options} go`);
      return await workspace.until(() => {
        const last = textOf(person.sees(general).slice(before).at(-1));
        return last.includes('Nothing was started') ? last : undefined;
      });
    },
  };
}

/** The buttons of one preset in the list, by its place. */
const inRow = (person: Actor, words: string, actionId: string) => {
  const blocks = person.modal()?.content['blocks'];
  const all = Array.isArray(blocks) ? blocks : [];
  const row = all.findIndex((block) => textOf(block).includes(words));
  return { blockId: String(all[row + 1]?.block_id), actionId };
};

const onChannel = { save_for: { value: 'channel' } };
const replaced = { save_over: ['replace'] };
const onWorkspace = { save_for: { value: 'workspace' } };

describe('saving a preset', () => {
  it('from the form: for a channel, which everybody there can use by name', async () => {
    const { ada, grace, saves, dryRun, workspace } = await startedProduct();
    expect(await saves(grace, 'model=small', { save_as: 'Nightly', ...onChannel })).toEqual({});
    expect(await dryRun(ada, 'preset=nightly')).toContain(
      'Model: `small` (preset Nightly, of the channel)',
    );
    await ada.types('C04ENGINEER', '/agent run preset=nightly go');
    await workspace.until(() => textOf(ada.sees('C04ENGINEER')).includes('no preset called'));
  });

  it('wants something to keep: a preset of nothing would change nothing', async () => {
    const { ada, workspace, opens } = await startedProduct();
    await opens(ada, '/agent go');
    await showMore({ ada, workspace });
    const { errors } = await ada.submits({ save_as: 'Nightly' });
    expect(errors?.['save_as']).toContain('There is nothing to keep yet');
  });

  it('says nothing of what there is to keep while a field of it is wrong', async () => {
    const { ada, workspace, opens } = await startedProduct();
    await opens(ada, '/agent go');
    await showMore({ ada, workspace });
    const { errors } = await ada.submits({ save_as: 'Nightly', mcp_servers: '{' });
    expect(Object.keys(errors ?? {})).toEqual(['mcp_servers']);
  });

  it('for the workspace is for admins, and says so beside every other error', async () => {
    const { ada, grace, saves, dryRun } = await startedProduct();
    const wrong = { save_as: 'House', ...onWorkspace, mcp_servers: '{' };
    const { errors } = await saves(grace, 'model=small', wrong);
    expect(Object.keys(errors ?? {}).sort()).toEqual(['mcp_servers', 'save_as']);
    expect(errors?.['save_as']).toContain('Only workspace admins');
    expect(await saves(ada, 'model=large', { save_as: 'House', ...onWorkspace })).toEqual({});
    expect(await dryRun(grace, 'preset=house')).toContain('(preset House, of the workspace)');
  });

  it('from a run that is over: asks for name and scope, and says how to use it', async () => {
    const { ada, grace, workspace, opens, dryRun, shows } = await startedProduct();
    await ada.types(general, '/agent run env=shell model=small go');
    const { ts } = await runMessageShowing(workspace, 'Succeeded');
    await grace.clicks({ channelId: general, messageTs: ts }, 'run:details');
    const details = await workspace.until(() => grace.modal());
    await grace.clicks({ view: details }, 'run:save-preset');
    await shows(grace, 'Environment shell · Model small');
    const refused = await grace.submits({ save_as: 'Like that', ...onWorkspace });
    expect(refused.errors?.['save_as']).toContain('Only workspace admins');
    expect(await grace.submits(onChannel)).toEqual({});
    expect(textOf(grace.modal()?.content)).toContain('/agent preset=\\"Like that\\"');
    await grace.closesModal();
    expect(textOf(grace.modal()?.content)).toContain('Details of the run');
    expect(await dryRun(ada, 'preset="like that"')).toMatch(/shell.*of the channel.*small/);
    await opens(ada, '/agent presets');
    expect(textOf(ada.modal()?.content)).toContain(`by <@${grace.person.id}>`);
  });

  it('of a name that is taken replaces it, for those who may', async () => {
    const { alan, ada, grace, saves, dryRun } = await startedProduct();
    await saves(grace, 'model=small', { save_as: 'Nightly', ...onChannel });
    const { errors } = await saves(alan, 'model=his', { save_as: 'NIGHTLY', ...onChannel });
    expect(errors?.['save_as']).toContain('Only admins and the person who made');
    await alan.closesModal();
    const unasked = await saves(ada, 'model=large', { save_as: 'nightly', ...onChannel });
    expect(unasked.errors?.['save_as']).toMatch(/already, with Model small\. .*tick “Replace/);
    expect(await dryRun(alan, 'preset=nightly')).toContain('Model: `small`');
    expect(await ada.submits(replaced)).toEqual({});
    expect(await dryRun(alan, 'preset=nightly')).toContain('Model: `large`');
    const hers = { save_as: 'nightly', ...onChannel };
    expect(await saves(grace, 'model=large', hers)).toEqual({});
    expect(await saves(grace, 'model=mid', { ...hers, ...replaced })).toEqual({});
  });

  it('of an environment that the runs service does not list is refused, with those it lists', async () => {
    const { ada, workspace, shows } = await startedProduct();
    await ada.types(general, '/agent run env=nowhere go');
    const { ts } = await runMessageShowing(workspace, 'Not started');
    await ada.clicks({ channelId: general, messageTs: ts }, 'run:details');
    const details = await workspace.until(() => ada.modal());
    await ada.clicks({ view: details }, 'run:save-preset');
    await shows(ada, 'Environment nowhere');
    const { errors } = await ada.submits({ save_as: 'Nowhere' });
    expect(errors?.['save_as']).toContain('It lists shell.');
  });
});

describe('presets of one name', () => {
  it('go by the nearest in preset=; the picker groups them, says so, and gives any', async () => {
    const product = await startedProduct();
    const { ada, workspace, saves, dryRun, opens } = product;
    await saves(ada, 'model=house', { save_as: 'same', ...onWorkspace });
    await saves(ada, 'model=channel', { save_as: 'same', ...onChannel });
    expect(await dryRun(ada, 'preset=same')).toContain('`channel` (preset same, of the channel)');
    await saves(ada, 'model=mine', { save_as: 'same' });
    expect(await dryRun(ada, 'preset=same')).toContain('`mine` (preset same, personal)');

    await opens(ada, '/agent go');
    await showMore(product);
    const offer = textOf(await ada.offers('preset', 'SAME'));
    expect(offer).toMatch(/Yours.*Model mine.*Of this channel.*Model channel.*Of the workspace/);
    expect(offer).toContain('preset= takes yours of this name. Model house');
    await ada.submits({ preset: picked('workspace:same') });
    await runMessageShowing(workspace, 'Model *house*');
    await opens(ada, '/agent presets');
    expect(textOf(ada.modal()?.content)).toContain('takes yours instead');
  });
});

describe('the list of presets', () => {
  it('shares with the channel, shows as YAML without keys, and deletes', async () => {
    const { ada, grace, workspace, opens, saves, dryRun, shows } = await startedProduct();
    await opens(ada, '/agent presets');
    expect(textOf(ada.modal()?.content)).toContain('No presets yet');
    const mcp_servers = '{"docs": {"url": "https://a.example", "headers": {"X-Key": "s3cr3t"}}}';
    await saves(ada, 'model=small', { save_as: 'Nightly & <more>', mcp_servers });
    const view = await opens(ada, '/agent presets');
    expect(textOf(view.content)).toContain('Nightly &amp; &lt;more&gt;');
    await ada.clicks({ view }, 'presets:share');
    await shows(ada, 'Share a preset');
    await ada.submits();
    await shows(ada, 'of this channel');
    expect(await dryRun(grace, 'preset="nightly & <more>"')).toContain('Model: `small` (preset');
    await ada.clicks({ view }, 'presets:yaml');
    await shows(ada, 'model_id: small');
    expect(textOf(ada.modal()?.content)).toContain('X-Key: (not shown)');
    expect(textOf(ada.modals())).not.toContain('s3cr3t');
    await ada.closesModal();
    await ada.clicks({ view }, inRow(ada, '(yours)', 'presets:remove'));
    await workspace.until(() => !textOf(ada.modal()?.content).includes('(yours)'));
    expect(textOf(ada.modal()?.content)).toContain('of this channel');
  });

  it('shares over one of the same name only when told to, and only for those who may', async () => {
    const { ada, alan, grace, opens, saves, dryRun, shows, workspace } = await startedProduct();
    await saves(grace, 'model=hers', { save_as: 'Nightly', ...onChannel });
    await saves(alan, 'model=his', { save_as: 'nightly' });
    await saves(ada, 'model=large', { save_as: 'nightly' });
    const shares = async (person: Actor) => {
      const view = await opens(person, '/agent presets');
      await person.clicks({ view }, 'presets:share');
      await shows(person, 'Share a preset');
      return await person.submits();
    };
    expect((await shares(alan)).errors?.['save_as']).toContain(
      'Only admins and the person who made',
    );
    expect((await alan.submits(replaced)).errors?.['save_as']).toContain('Only admins and');
    expect((await shares(ada)).errors?.['save_as']).toContain('already, with Model hers');
    expect(await dryRun(grace, 'preset=nightly')).toContain('Model: `hers`');
    expect(await ada.submits({ save_as: 'Another' })).toEqual({});
    await workspace.until(() => textOf(ada.modal()?.content).includes('Another'));
    await ada.closesModal();
    await shares(ada);
    expect(await ada.submits(replaced)).toEqual({});
    expect(await dryRun(grace, 'preset=nightly')).toContain('Model: `large`');
  });

  it('renames, but not to a name that another has', async () => {
    const { ada, workspace, opens, saves, dryRun, shows } = await startedProduct();
    await saves(ada, 'model=small', { save_as: 'one' });
    await saves(ada, 'model=large', { save_as: 'two' });
    const view = await opens(ada, '/agent presets');
    await ada.clicks({ view }, inRow(ada, '*two*', 'presets:rename'));
    await shows(ada, 'Rename a preset');
    expect((await ada.submits({ save_as: 'ONE' })).errors?.['save_as']).toContain('Take another');
    expect(await ada.submits({ save_as: 'The second' })).toEqual({});
    await shows(ada, '*The second*');
    await ada.clicks({ view }, inRow(ada, '*one*', 'presets:rename'));
    await shows(ada, 'Rename a preset');
    expect(await ada.submits({ save_as: 'One' })).toEqual({});
    await shows(ada, '*One*');
    expect(await dryRun(ada, 'preset="the second"')).toContain('`large` (preset The second');
    await ada.types(general, '/agent run --dry-run preset=two go');
    await workspace.until(() => textOf(ada.sees(general)).includes('no preset called'));
  });

  it('lets the maker and admins change what a channel has, and says why not to others', async () => {
    const { ada, alan, grace, workspace, opens, saves, shows } = await startedProduct();
    await saves(grace, 'model=small', { save_as: 'Nightly', ...onChannel });
    const his = await opens(alan, '/agent presets');
    for (const action of ['presets:rename', 'presets:remove']) {
      await alan.clicks({ view: his }, action);
      await shows(alan, 'Only admins and the person who made this preset');
      await alan.closesModal();
    }
    const hers = await opens(grace, '/agent presets');
    await grace.clicks({ view: hers }, 'presets:rename');
    await shows(grace, 'Rename a preset');
    await grace.submits({ save_as: 'Daily' });
    await shows(grace, '*Daily*');
    const admins = await opens(ada, '/agent presets');
    await ada.clicks({ view: admins }, 'presets:remove');
    await shows(ada, 'No presets yet');
    await alan.clicks({ view: his }, 'presets:rename');
    await workspace.until(() => textOf(alan.modal()?.content).includes('No presets yet'));
  });
});
