import type { Actor } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import { writePreset } from '../../../src/slack/configuration/presets.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { addsRule, allowsWorkflows } from '../../support/product/policy.ts';
import {
  detailsOf,
  general,
  opensModal,
  picked,
  runMessageShowing,
  showMore,
  startedProduct as startedBot,
  textOf,
} from '../../support/product/product.ts';

async function startedProduct() {
  const product = await startedBot();
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

/** Finds a preset's button in the open list. */
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
  it('from the form needs settings, is for a channel or by an admin for the workspace, and then has a name', async () => {
    const product = await startedProduct();
    const { ada, grace, saves, dryRun, workspace, opens } = product;
    await opens(ada, '/agent go');
    await showMore({ ada, workspace });
    const invalid = await ada.submits({ save_as: 'Nightly', mcp_servers: '{' });
    expect(Object.keys(invalid.errors ?? {})).toEqual(['mcp_servers']);
    const empty = await ada.submits({ save_as: 'Nightly', mcp_servers: '' });
    expect(empty.errors?.['save_as']).toContain("There's nothing to save");
    expect(await saves(grace, 'model=small', { save_as: 'Nightly', ...onChannel })).toEqual({});
    const nightly = 'Model: `small` (channel preset Nightly)';
    expect(await dryRun(ada, 'preset=nightly')).toContain(nightly);
    await ada.types('C04ENGINEER', '/agent run preset=nightly go');
    await workspace.until(() => textOf(ada.sees('C04ENGINEER')).includes('no preset called'));

    const wrong = { save_as: 'House', ...onWorkspace, mcp_servers: '{' };
    const { errors } = await saves(grace, 'model=small', wrong);
    expect(Object.keys(errors ?? {}).sort()).toEqual(['mcp_servers', 'save_as']);
    expect(errors?.['save_as']).toContain('Only workspace admins');
    expect(await saves(ada, 'model=large', { save_as: 'House', ...onWorkspace })).toEqual({});
    expect(await dryRun(grace, 'preset=house')).toContain('(workspace preset House)');

    // While a rule blocks the run, the preset isn't saved either. The corrected form can save it.
    await addsRule(product, ada, { name: 'Small ones', models: 'small' });
    const rejected = await saves(grace, 'model=large', { save_as: 'Later' });
    expect(rejected.errors?.['model_id']).toContain('only allows the model "small"');
    expect(await grace.submits({ model_id: picked('small'), save_as: 'Later' })).toEqual({});
    expect(await dryRun(grace, 'preset=later')).toContain('`small` (personal preset Later)');
  });

  it('from a run asks for name and scope, says how to use it, and lists the available environments', async () => {
    const product = await startedProduct();
    await allowsWorkflows(product);
    const { ada, grace, workspace, opens, dryRun, shows } = product;
    const savesFrom = async (person: Actor, messageTs: string) => {
      await person.clicks({ channelId: general, messageTs }, 'run:details');
      const details = await workspace.until(() => person.modal());
      await person.clicks({ view: details }, 'run:save-preset');
    };
    await ada.types(general, '/agent run env=shell model=small go');
    const { ts } = await runMessageShowing(workspace, 'Succeeded');
    await savesFrom(grace, ts);
    await shows(grace, 'Environment shell · Model small');
    const rejected = await grace.submits({ save_as: 'Like that', ...onWorkspace });
    expect(rejected.errors?.['save_as']).toContain('Only workspace admins');
    expect(await grace.submits(onChannel)).toEqual({});
    expect(textOf(grace.modal()?.content)).toContain('/agent preset=\\"Like that\\"');
    await grace.closesModal();
    expect(textOf(grace.modal()?.content)).toContain('Run details');
    expect(await dryRun(ada, 'preset="like that"')).toMatch(/shell.*channel preset.*small/);
    await opens(ada, '/agent presets');
    expect(textOf(ada.modal()?.content)).toContain(`by <@${grace.person.id}>`);
    await ada.closesModal();

    // The workflow step names an environment that doesn't exist. Its request fails only when the run starts.
    const step = { prompt: 'go', channel: general, environment: 'nowhere', person: ada.person.id };
    await workspace.runsWorkflowStep('run_agent', step);
    const failed = await runMessageShowing(workspace, 'Not started');
    await savesFrom(ada, failed.ts);
    await shows(ada, 'Environment nowhere');
    const { errors } = await ada.submits({ save_as: 'Nowhere' });
    expect(errors?.['save_as']).toContain('Available: shell.');
  });

  it('or sharing it replaces one of the same name if asked to, for people who are allowed to', async () => {
    const { alan, ada, grace, saves, dryRun, opens, shows, workspace } = await startedProduct();
    await saves(grace, 'model=hers', { save_as: 'Nightly', ...onChannel });
    const { errors } = await saves(alan, 'model=his', { save_as: 'NIGHTLY', ...onChannel });
    expect(errors?.['save_as']).toContain('Only admins and the person who made');
    await alan.closesModal();
    const unasked = await saves(ada, 'model=large', { save_as: 'nightly', ...onChannel });
    expect(unasked.errors?.['save_as']).toMatch(/already exists: Model hers\. .*select .*Replace/);
    expect(await dryRun(alan, 'preset=nightly')).toContain('Model: `hers`');
    expect(await ada.submits(replaced)).toEqual({});
    expect(await dryRun(alan, 'preset=nightly')).toContain('Model: `large`');
    const hers = { save_as: 'nightly', ...onChannel };
    expect(await saves(grace, 'model=large', hers)).toEqual({});
    expect(await saves(grace, 'model=mid', { ...hers, ...replaced })).toEqual({});

    await saves(alan, 'model=his', { save_as: 'nightly' });
    await saves(ada, 'model=huge', { save_as: 'nightly' });
    const shares = async (person: Actor) => {
      const view = await opens(person, '/agent presets');
      await person.clicks({ view }, 'presets:share');
      await shows(person, 'Share preset');
      return await person.submits();
    };
    expect((await shares(alan)).errors?.['save_as']).toContain('Only admins and');
    expect((await alan.submits(replaced)).errors?.['save_as']).toContain('Only admins and');
    expect((await shares(ada)).errors?.['save_as']).toContain('already exists: Model mid');
    expect(await dryRun(grace, 'preset=nightly')).toContain('Model: `mid`');
    expect(await ada.submits({ save_as: 'Another' })).toEqual({});
    await workspace.until(() => textOf(ada.modal()?.content).includes('Another'));
    await ada.closesModal();
    await shares(ada);
    expect(await ada.submits(replaced)).toEqual({});
    expect(await dryRun(grace, 'preset=nightly')).toContain('Model: `huge`');
  });
});

describe('presets with the same name', () => {
  it('are resolved to the nearest by preset=; the picker groups them, says so, and offers all', async () => {
    const product = await startedProduct();
    const { ada, workspace, saves, dryRun, opens } = product;
    await saves(ada, 'model=house', { save_as: 'same', ...onWorkspace });
    await saves(ada, 'model=channel', { save_as: 'same', ...onChannel });
    expect(await dryRun(ada, 'preset=same')).toContain('`channel` (channel preset same)');
    await saves(ada, 'model=mine', { save_as: 'same' });
    expect(await dryRun(ada, 'preset=same')).toContain('`mine` (personal preset same)');

    // People with presets can select one without opening More options.
    await opens(ada, '/agent title="From the workspace" go');
    const offer = textOf(await ada.offers('preset', 'SAME'));
    expect(offer).toMatch(
      /Your presets.*Model mine.*Channel presets.*Model channel.*Workspace presets/,
    );
    expect(offer).toContain('preset= uses your own preset. Model house');
    await ada.submits({ preset: picked('workspace:same') });
    const message = await runMessageShowing(workspace, 'From the workspace');
    expect(await detailsOf({ workspace }, ada, message)).toContain('Model: house');
    await opens(ada, '/agent presets');
    expect(textOf(ada.modal()?.content)).toContain(
      'Your own preset has the same name, so `preset=',
    );
  });
});

describe('the list of presets', () => {
  it('shares a preset without its keys, and lets only its maker and admins delete it', async () => {
    const { ada, alan, grace, workspace, opens, saves, dryRun, shows } = await startedProduct();
    await opens(ada, '/agent presets');
    expect(textOf(ada.modal()?.content)).toContain('No presets yet');
    const mcp_servers = '{"docs": {"url": "https://a.example", "headers": {"X-Key": "s3cr3t"}}}';
    await saves(ada, 'model=small', { save_as: 'Nightly & <more>', mcp_servers });
    const view = await opens(ada, '/agent presets');
    expect(textOf(view.content)).toContain('Nightly &amp; &lt;more&gt;');
    await ada.clicks({ view }, 'presets:share');
    await shows(ada, 'Share preset');
    await ada.submits();
    await shows(ada, 'this channel');
    const shared = await dryRun(grace, 'preset="nightly & <more>"');
    expect(shared).toContain('Model: `small` (channel preset');
    expect(textOf(ada.modals())).not.toContain('s3cr3t');
    await ada.clicks({ view }, inRow(ada, '(yours)', 'presets:remove'));
    await workspace.until(() => !textOf(ada.modal()?.content).includes('(yours)'));
    expect(textOf(ada.modal()?.content)).toContain('this channel');
    await ada.clicks({ view }, 'presets:remove');
    await shows(ada, 'No presets yet');

    await saves(grace, 'model=small', { save_as: 'Nightly', ...onChannel });
    const his = await opens(alan, '/agent presets');
    await saves(grace, 'model=small', { save_as: 'Daily', ...onChannel });
    const hers = await opens(grace, '/agent presets');
    await grace.clicks({ view: hers }, inRow(grace, '*Daily*', 'presets:remove'));
    await workspace.until(() => !textOf(grace.modal()?.content).includes('*Daily*'));
    await alan.clicks({ view: his }, 'presets:remove');
    await shows(alan, 'Only admins and the person who made this preset');
    await alan.closesModal();
    const admins = await opens(ada, '/agent presets');
    await ada.clicks({ view: admins }, 'presets:remove');
    await shows(ada, 'No presets yet');
    await alan.clicks({ view: his }, 'presets:remove');
    await shows(alan, 'No presets yet');
  });

  it('has pages, so that each preset can be shared and deleted', async () => {
    const { ada, workspace, opens, shows, config } = await startedProduct();
    const db = await openTestDatabase(config.databaseUrl);
    const asker = { teamId: workspace.team.id, channelId: general, userId: ada.person.id };
    for (let at = 10; at <= 50; at += 1) {
      const preset = { name: `nightly ${at}`, scope: 'person', config: { model_id: 'm' } } as const;
      await writePreset(createSettings(db), asker, preset);
    }
    await db.destroy();
    const view = await opens(ada, '/agent presets');
    await ada.clicks({ view }, 'presets:next');
    await shows(ada, 'nightly 50');
    expect(textOf(ada.modal()?.content)).toContain('Page 2 of 2.');
    await ada.clicks({ view }, 'presets:previous');
    await shows(ada, 'nightly 10');
    await ada.clicks({ view }, 'presets:next');
    await shows(ada, 'nightly 50');
    await ada.clicks({ view }, 'presets:remove');
    // Removing its last preset also removes the page.
    await shows(ada, 'nightly 11');
    expect(textOf(ada.modal()?.content)).not.toContain('Page');
  });
});
