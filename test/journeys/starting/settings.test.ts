import type { Actor } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import { addsRule } from '../../support/product/policy.ts';
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
import { type FormName, opensSettings, savesSettings } from '../../support/product/settings.ts';

async function startedProduct() {
  const product = await startedBot();
  const opens = (person: Actor, command: string) => opensModal(product, person, command);
  const told = (person: Actor, words: string) =>
    product.workspace.until(() => {
      const last = person.sees(general).findLast(({ visibleTo }) => visibleTo !== undefined);
      return textOf(last).includes(words) ? textOf(last) : undefined;
    });
  const opensForm = (person: Actor, form: FormName) => opensSettings(product, person, form);
  const saves = (person: Actor, form: FormName, values: Record<string, unknown>) =>
    savesSettings(product, person, form, values);
  return { ...product, opens, opensForm, saves, told };
}

describe('/agent settings', () => {
  it('saves defaults of a person, a channel and the workspace, and shows where each value comes from', async () => {
    const product = await startedProduct();
    const { ada, workspace, opens, opensForm, saves, told } = product;
    await saves(ada, 'person:defaults', {
      'person:model_id': picked('mine'),
      'person:name': 'me',
    });
    await saves(ada, 'channel:defaults', {
      'channel:model_id': picked('of the channel'),
      'channel:environment_id': picked('shell'),
    });
    await saves(ada, 'workspace:defaults', {
      'workspace:environment_id': picked('shell'),
      'workspace:base_prompt': 'Be kind.',
    });

    await ada.types(general, '/agent run --dry-run title=x go');
    const said = await told(ada, 'Nothing was started');
    expect(said).toContain('Model: `mine` (your setting)');
    expect(said).toContain('Environment: `shell` (channel setting)');
    expect(said).toContain('Base prompt: `Be kind.` (workspace setting)');
    expect(said).toContain('Group: `me` (your setting)');
    expect(said).toContain('Not set: skill, MCP servers');

    // The form uses the defaults of More options even if it stays closed.
    await opens(ada, '/agent go');
    await ada.submits();
    const message = await runMessageShowing(workspace, 'Succeeded');
    expect(await detailsOf(product, ada, message)).toContain('Group: me');
    await opens(ada, '/agent go');
    await showMore(product);
    expect(textOf(ada.modal()?.values)).toContain('"value":"me"');
    await ada.submits({ name: '', title: 'Without a name' });
    const second = await runMessageShowing(workspace, 'Without a name');
    expect(await detailsOf(product, ada, second)).not.toContain('Group: ');

    await opensForm(ada, 'person:defaults');
    expect(textOf(ada.modal()?.content)).toContain('Default: shell (channel setting)');
    const offered = await ada.searches('settings:pick:environment', 'new-one');
    expect(textOf(offered)).toContain('Use \\"new-one\\"');
    await ada.submits({ 'person:ticks': ['at-once'] });
    await ada.closesModal();
    await ada.types(general, '/agent count without a form');
    await runMessageShowing(workspace, 'count without a form');
    expect(ada.modal()).toBeUndefined();
  });

  it('reports all errors at once, at their fields, and an environment that does not exist in every scope', async () => {
    const { ada, opensForm } = await startedProduct();
    for (const scope of ['person', 'channel', 'workspace'] as const) {
      await opensForm(ada, `${scope}:defaults`);
      const wrong = {
        [`${scope}:environment_id`]: picked('nowhere'),
        [`${scope}:skill_spec`]: picked('wrong'),
        [`${scope}:mcp_servers`]: '[',
      };
      expect((await ada.submits(wrong)).errors).toEqual({
        [`${scope}:environment_id`]: expect.stringMatching(
          /no environment nowhere\. Available: shell\./,
        ),
        [`${scope}:skill_spec`]: expect.stringContaining('owner/repo'),
        [`${scope}:mcp_servers`]: expect.stringContaining("isn't valid JSON"),
      });
      const mended = {
        [`${scope}:environment_id`]: picked('shell'),
        [`${scope}:skill_spec`]: null,
        [`${scope}:mcp_servers`]: '',
      };
      expect(await ada.submits(mended)).toEqual({});
    }
    await opensForm(ada, 'person:notifications');
    expect((await ada.submits({ 'person:quiet_from': '22' })).errors).toEqual({
      'person:quiet_until': 'Set both hours or neither.',
    });
    expect(await ada.submits({ 'person:quiet_until': '6' })).toEqual({});
  });

  it('can be saved while the runs service does not answer', async () => {
    const { ada, service, saves, told } = await startedProduct();
    await service.stop();
    await saves(ada, 'person:defaults', { 'person:environment_id': picked('by-hand') });
    await ada.types(general, '/agent run --dry-run go');
    expect(await told(ada, 'Nothing was started')).toContain('`by-hand` (your setting)');
  });

  it('shows read-only what a person cannot change, and checks that again on saving', async () => {
    const product = await startedProduct();
    const { ada, grace: person, opensForm, saves } = product;
    await saves(ada, 'workspace:defaults', { 'workspace:base_prompt': 'Be <kind>.' });
    await saves(ada, 'workspace:notifications', { 'workspace:reply': 'direct' });
    const toRead = async (form: FormName) => {
      const shown = (await opensForm(person, form)).content;
      expect(textOf(shown)).toContain('Only workspace admins');
      expect(textOf(shown)).not.toContain('"type":"input"');
      expect(shown['submit']).toBeUndefined();
      return textOf(shown);
    };
    const defaults = await toRead('workspace:defaults');
    expect(defaults).toContain('*Base prompt*\\nBe &lt;kind&gt;.');
    expect(defaults).toContain('*Environment*\\n_not set_');
    expect(await toRead('workspace:notifications')).toContain('*Notify by*\\nDirect message');
    await opensForm(person, 'person:notifications');
    expect(textOf(person.modal()?.content)).toContain('"person:reply"');

    await opensForm(ada, 'workspace:defaults');
    ada.person.role = 'member';
    const { errors } = await ada.submits({ 'workspace:model_id': picked('hers') });
    expect(errors?.['workspace:environment_id']).toContain('Only workspace admins');
  });

  it('offers a digest in channels, at an hour in the time zone of the person who sets it', async () => {
    const { ada, opensForm, saves } = await startedProduct();
    await saves(ada, 'channel:notifications', { 'channel:digest': '9' });
    await opensForm(ada, 'channel:notifications');
    const shown = textOf(ada.modal()?.content);
    expect(shown).toContain(`"initial_option":{"text":{"type":"plain_text","text":"9:00 AM"`);
    expect(shown).toContain(`Time zone: ${ada.person.timeZone}`);
    await ada.submits({ 'channel:digest': 'off' });
    await opensForm(ada, 'channel:notifications');
    expect(textOf(ada.modal()?.content)).not.toContain(ada.person.timeZone);
  });
});

it('rules can say who cancels: only the creator, or every member', async () => {
  const product = await startedProduct();
  const { ada, grace, workspace, told } = product;
  await addsRule(product, ada, { name: 'Own runs', channels: [general], cancel: 'no' });
  await grace.types(general, '/agent run wait for me');
  const message = await runMessageShowing(workspace, 'In progress');
  const at = { channelId: general, messageTs: message.ts };
  await ada.clicks(at, 'run:cancel');
  await told(ada, 'The rule \\"Own runs\\" blocks this. Only');
  await addsRule(product, ada, { name: 'All runs', after: ':first', cancel: 'yes' });
  await workspace.as('alan').clicks(at, 'run:cancel');
  await runMessageShowing(workspace, 'Canceled');
});
