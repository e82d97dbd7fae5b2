import { expect, it } from 'vitest';
import {
  general,
  opensModal,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

it('guests and people of other companies start nothing, and are told whom to ask', async () => {
  const product = await startedProduct();
  const { workspace } = product;
  for (const [name, channelId, sentence] of [
    ['Sam Guest', 'C04ENGINEER', "Guests can't start agent runs"],
    ['Steve Stranger', 'C04PARTNERS', "Only members of the app's workspace"],
  ] as const) {
    const person = workspace.as(name);
    await person.types(channelId, '/agent run count the TODO comments');
    await workspace.until(() => textOf(person.sees(channelId)).includes(sentence));
    expect(runMessageIn(workspace, channelId)).toBeUndefined();
  }

  // A sentence instead of a form.
  for (const [command, act] of [
    ['/agent count', 'start agent runs'],
    ['/agent settings', 'use this app'],
    ['/agent presets', 'use this app'],
  ] as const) {
    const guest = workspace.as('Sam Guest');
    const view = await opensModal(product, guest, command, 'C04ENGINEER');
    expect(textOf(view.content)).toContain(`Guests can't ${act}. Ask a full member`);
    expect(textOf(view.content)).not.toContain('"input"');
  }
});

it("people start nothing while Slack doesn't say who they are, unless it has said so before", async () => {
  const product = await startedProduct();
  const { workspace, ada, grace } = product;
  await ada.types(general, '/agent run count');
  await runMessageShowing(workspace, 'Succeeded');
  await workspace.faults.inject({ name: 'server_error', method: 'users.info', times: 20 });
  await opensModal(product, grace, '/agent count');
  expect(textOf((await grace.submits()).errors)).toContain('so nothing was started');
  await opensModal(product, ada, '/agent count');
  expect(await ada.submits()).toEqual({});
});

it("a mention waits while Slack doesn't say who its author is, and then starts its run", async () => {
  const { workspace, grace } = await startedProduct();
  await workspace.faults.inject({ name: 'server_error', method: 'users.info', times: 2 });
  await grace.types(general, '@agent count the files');
  await workspace.until(() => workspace.messagesIn(general).length > 1);
  const answers = workspace.messagesIn(general).slice(1);
  expect(textOf(answers)).not.toContain('Slack');
  expect(answers.filter(({ visibleTo }) => visibleTo)).toEqual([]);
  await runMessageShowing(workspace, 'Succeeded');
});
