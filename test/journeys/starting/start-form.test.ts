import { describe, expect, it } from 'vitest';
import { startApiStub } from '../../support/network/api-stub.ts';
import {
  detailsOf,
  general,
  held,
  opensModal,
  picked,
  promptsSent,
  runMessageIn,
  runMessageShowing,
  showMore,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const secretProject = 'C04SECRETS1';
const managers = 'C04MANAGERS';

async function openedForm(text = '/agent') {
  const product = await startedProduct();
  await opensModal(product, product.ada, text);
  return product;
}

describe('the form', () => {
  it('keeps what was typed when More options opens, also twice, and fills itself from a preset', async () => {
    const product = await openedForm('/agent env=shell count the files');
    const { ada, workspace } = product;
    await ada.fills({ prompt: 'typed before', channel: secretProject });
    const view = await workspace.until(() => ada.modal());
    await Promise.all([
      ada.clicks({ view }, 'start-run:more'),
      ada.clicks({ view }, 'start-run:more'),
    ]);
    await workspace.until(() => textOf(ada.modal()?.content).includes('"mcp_servers"'));
    await workspace.settled();
    expect(textOf(ada.sees(general))).not.toContain('hit an error');
    expect(held(ada, 'prompt')?.['value']).toBe('typed before');
    expect(textOf(held(ada, 'environment_id'))).toContain('shell');
    const tail = {
      title: 'From the tail',
      name: 'night',
      model_id: picked('small'),
      save_as: 'Nightly',
    };
    expect(await ada.submits(tail)).toEqual({});
    const ended = await runMessageShowing(workspace, 'Succeeded', secretProject);
    expect(textOf(ended)).toContain('From the tail');
    expect(await detailsOf(product, ada, ended)).toContain('Group: night');

    await opensModal(product, ada, '/agent preset=nightly name=day go');
    expect(textOf(held(ada, 'preset'))).toContain('Nightly (personal)');
    expect(textOf(held(ada, 'model_id'))).toContain('small');
    expect(held(ada, 'name')?.['value']).toBe('day');
    await ada.closesModal();
    await ada.types(general, '/agent preset=nowhere go');
    await workspace.until(() => textOf(ada.sees(general)).includes('no preset called'));
  });

  it('searches environments, recently used ones first, warns of those without a sandbox, and accepts any ID', async () => {
    const product = await openedForm('/agent env=shell');
    const { ada, workspace } = product;
    const warning = '⚠️ Agents run without a sandbox: they can reach what the runs service can.';
    const hint = `"hint":{"type":"plain_text","text":"${warning}"`;
    await workspace.until(() => textOf(ada.modal()?.content).includes(hint));
    const [offered] = (await ada.searches('environment_id', 'shell')) ?? [];
    expect(offered).toMatchObject({ value: 'shell', description: { text: warning } });
    expect(textOf(await ada.offers('environment_id', ''))).toContain('All environments');
    const typed = await ada.searches('environment_id', 'not-listed');
    expect(typed).toMatchObject([{ value: 'not-listed', text: { text: 'Use "not-listed"' } }]);
    await ada.submits({ prompt: 'go', environment_id: picked('shell') });
    await runMessageShowing(workspace, 'Succeeded');
    await opensModal(product, ada);
    const after = await ada.offers('environment_id', 'sh');
    expect(textOf(after)).toMatch(/Recently used here.*shell/);
    expect(textOf(await ada.offers('environment_id', 'not-there'))).toContain('Other ID');
  });

  it('suggests what was used in this channel, then by this person, then by others', async () => {
    const product = await startedProduct();
    const { ada, grace, workspace } = product;
    await grace.types(secretProject, '/agent run model=of-grace go');
    await ada.types(secretProject, '/agent run model=of-ada go');
    await grace.types(general, '/agent run model=here go');
    await runMessageShowing(workspace, 'Succeeded');
    await opensModal(product, ada, '/agent model=x go');
    expect(textOf(await ada.offers('model_id', ''))).toMatch(
      /used here.*"here".*used by you.*"of-ada".*used by others.*"of-grace"/,
    );
  });

  it('opens and starts while the runs API is down: people can type IDs', async () => {
    const product = await startProduct();
    const api = await startApiStub();
    api.answersHtml();
    await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
    await opensModal(product, product.ada, '/agent env=mine go');
    expect(await product.ada.searches('environment_id', 'x')).toMatchObject([{ value: 'x' }]);
    api.answers('SUCCEEDED');
    expect(await product.ada.submits()).toEqual({});
    await runMessageShowing(product.workspace, 'Succeeded');
  });

  it('warns if the app cannot post in the channel, and shows IDs that are too long for a picker', async () => {
    const product = await startedProduct();
    const { ada, workspace } = product;
    await ada.types(managers, '/agent go');
    await workspace.until(() => textOf(ada.modal()?.content).includes('/invite @agent'));
    expect(held(ada, 'prompt')?.['value']).toBe('go');
    expect(await ada.submits({ channel: ada.directChannelId })).toEqual({});
    await runMessageShowing(workspace, 'Succeeded', ada.directChannelId);
    expect(runMessageIn(workspace, managers)).toBeUndefined();

    await opensModal(product, ada, `/agent env=${'x'.repeat(200)} model=m go`);
    expect(held(ada, 'environment_id')?.['value']).toHaveLength(200);
    const { errors } = await ada.submits({ skill_spec: picked('nothing') });
    expect(Object.keys(errors ?? {}).sort()).toEqual(['environment_id', 'skill_spec']);
    expect(errors?.['environment_id']).toContain('Available: shell.');
    expect(await ada.submits({ environment_id: 'shell', skill_spec: null })).toEqual({});
  });
});

it('More options while the thread is loading keeps the other fields, the thread and what was typed', async () => {
  const { ada, workspace, ...product } = await startedProduct();
  const { message } = await ada.types(general, 'the login page is blank');
  const threadTs = message?.ts ?? '';
  const { message: reply } = await ada.types(general, 'since this morning', { threadTs });
  const delayMs = 60_000;
  workspace.faults.inject({ name: 'answer_delayed', method: 'conversations.replies', delayMs });
  const place = { channelId: general, ts: reply?.ts ?? '' };
  await ada.usesMessageShortcut('message-shortcut:run', place);
  await workspace.until(() => ada.modal());
  expect(textOf(ada.modal()?.content)).not.toContain('Send the thread too');
  await ada.fills({ prompt: 'find out why' });
  await showMore({ ada, workspace });
  await ada.fills({ name: 'bugs' });
  workspace.faults.clear();
  await workspace.until(() => textOf(ada.modal()?.content).includes('Send the thread too'));
  expect(held(ada, 'prompt')?.['value']).toBe('find out why');
  expect(held(ada, 'name')?.['value']).toBe('bugs');
  expect(textOf(ada.modal()?.content)).toContain('From a message by');
  await ada.submits({ context: ['thread'] });
  const ended = await runMessageShowing(workspace, 'Succeeded');
  expect((await promptsSent(product))[0]).toContain('> the login page is blank');
  expect(await detailsOf({ workspace }, ada, ended)).toContain('Group: bugs');
});
