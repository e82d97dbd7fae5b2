import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/local-workspace/people/actor.ts';
import { startApiStub } from '../support/api-stub.ts';
import {
  general,
  picked,
  runMessageIn,
  runMessageShowing,
  showMore,
  startProduct,
  textOf,
} from '../support/product.ts';

const secretProject = 'C04SECRETS1';
const managers = 'C04MANAGERS';

async function openedForm(text = '/agent') {
  const product = await startProduct();
  await product.startBot();
  await product.ada.types(general, text);
  await product.workspace.until(() => product.ada.modal());
  return product;
}

const held = (person: Actor, field: string) =>
  Object.values(person.modal()?.values[field] ?? {})[0];

describe('the form', () => {
  it('keeps what was typed when More options opens the long tail', async () => {
    const product = await openedForm('/agent env=shell count the files');
    const { ada, workspace } = product;
    await ada.fills({ prompt: 'typed before', channel: secretProject });
    await showMore(product);
    expect(held(ada, 'prompt')?.['value']).toBe('typed before');
    expect(textOf(held(ada, 'environment_id'))).toContain('shell');
    expect(await ada.submits({ title: 'From the tail', name: 'nightly' })).toEqual({});
    const ended = await runMessageShowing(workspace, 'Succeeded', secretProject);
    expect(textOf(ended)).toContain('From the tail');
    expect(textOf(ended)).toContain('nightly');
  });

  it('offers environments by search, those used here first, and any id by hand', async () => {
    const { ada, workspace } = await openedForm();
    const before = await ada.offers('environment_id', '');
    expect(textOf(before)).toContain('All environments');
    const typed = await ada.searches('environment_id', 'not-listed');
    expect(typed).toMatchObject([{ value: 'not-listed', text: { text: 'Use “not-listed”' } }]);
    await ada.submits({ prompt: 'go', environment_id: picked('shell') });
    await runMessageShowing(workspace, 'Succeeded');
    await ada.types(general, '/agent');
    await workspace.until(() => ada.modal());
    const after = await ada.offers('environment_id', 'sh');
    expect(textOf(after)).toMatch(/Recently used here.*shell/);
  });

  it('says at the fields, all at once, what is wrong: place of a JSON error, closed channel', async () => {
    const product = await openedForm();
    await showMore(product);
    const { errors } = await product.ada.submits({
      prompt: 'go',
      mcp_servers: '{\n  "docs": {"url": "https://a.example"},\n  oops\n}',
      skill_spec: picked('nothing'),
    });
    expect(errors?.['mcp_servers']).toMatch(/line 3, character 3/);
    expect(errors?.['skill_spec']).toContain('owner/repo');
    const again = await product.ada.submits({
      mcp_servers: '',
      skill_spec: null,
      channel: managers,
    });
    expect(again.errors?.['channel']).toContain('/invite @agent');
    expect(await product.ada.submits({ channel: general })).toEqual({});
  });

  it('opens and starts whatever the runs API does: ids can be written by hand', async () => {
    const product = await startProduct();
    const api = await startApiStub();
    api.answersHtml();
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
    await product.ada.types(general, '/agent env=mine go');
    await product.workspace.until(() => product.ada.modal());
    expect(await product.ada.searches('environment_id', 'x')).toMatchObject([{ value: 'x' }]);
    api.answers('SUCCEEDED');
    expect(await product.ada.submits()).toEqual({});
    await runMessageShowing(product.workspace, 'Succeeded');
  });

  it('warns when the app cannot post where the command was typed, without losing what is typed', async () => {
    const product = await startProduct();
    await product.startBot();
    const { ada, workspace } = product;
    await ada.types(managers, '/agent go');
    await workspace.until(() => textOf(ada.modal()?.content).includes('/invite @agent'));
    expect(held(ada, 'prompt')?.['value']).toBe('go');
    expect(await ada.submits({ channel: ada.directChannelId })).toEqual({});
    await runMessageShowing(workspace, 'Succeeded', ada.directChannelId);
    expect(runMessageIn(workspace, managers)).toBeUndefined();
  });

  it('opens with an id that no picker can hold', async () => {
    const { ada, workspace } = await openedForm(`/agent env=${'x'.repeat(200)} model=m go`);
    expect(held(ada, 'environment_id')?.['value']).toHaveLength(200);
    await ada.submits();
    await runMessageShowing(workspace, 'Not started');
  });

  it('saves a preset, which is offered and used by name later', async () => {
    const product = await openedForm('/agent model=small go');
    const { ada, workspace } = product;
    expect(await ada.submits({ save_as: 'Nightly', name: 'night' })).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');
    await ada.types(general, '/agent run --dry-run preset=nightly go');
    await workspace.until(() =>
      textOf(ada.sees(general)).includes('Model: `small` (preset Nightly)'),
    );
    await ada.types(general, '/agent preset=nightly name=day go');
    await workspace.until(() => ada.modal());
    expect(await ada.searches('preset', 'night')).toMatchObject([{ value: 'Nightly' }]);
    expect(textOf(held(ada, 'model_id'))).toContain('small');
    expect(held(ada, 'name')?.['value']).toBe('day');
    await ada.types(general, '/agent preset=nowhere go');
    await workspace.until(() => textOf(ada.sees(general)).includes('no preset called'));
  });
});
