import { describe, expect, it } from 'vitest';
import { runMessageIn, startProduct, textOf } from '../../support/product/product.ts';

describe('who may start runs', () => {
  it.each([
    ['a guest', 'Sam Guest', 'C04ENGINEER', "Guests can't start agent runs"],
    [
      'someone external, through Slack Connect',
      'Steve Stranger',
      'C04PARTNERS',
      "Only members of the app's workspace",
    ],
  ])('%s is refused and told whom to ask', async (_, name, channelId, sentence) => {
    const { workspace, startBot } = await startProduct();
    await startBot();
    const person = workspace.as(name);
    await person.types(channelId, '/agent run count the TODO comments');
    await workspace.until(() => textOf(person.sees(channelId)).includes(sentence));
    expect(runMessageIn(workspace, channelId)).toBeUndefined();
  });

  it.each([
    ['the form', '/agent count', 'start agent runs'],
    ['settings', '/agent settings', 'use this app'],
    ['presets', '/agent presets', 'use this app'],
  ])('a guest sees a sentence instead of %s', async (_, command, act) => {
    const { workspace, startBot } = await startProduct();
    await startBot();
    const guest = workspace.as('Sam Guest');
    await guest.types('C04ENGINEER', command);
    const view = await workspace.until(() => guest.modal());
    expect(textOf(view?.content)).toContain(`Guests can't ${act}. Ask a full member`);
    expect(textOf(view?.content)).not.toContain('"input"');
  });

  it("people are refused while Slack doesn't say who they are, unless it has said so before", async () => {
    const { workspace, startBot, ada, grace } = await startProduct();
    await startBot();
    await ada.types('C04GENERAL1', '/agent run count');
    await workspace.until(() => runMessageIn(workspace));
    await workspace.faults.inject({ name: 'server_error', method: 'users.info', times: 20 });
    await grace.types('C04GENERAL1', '/agent count');
    await workspace.until(() => grace.modal());
    expect(textOf((await grace.submits()).errors)).toContain('so nothing was started');
    await ada.types('C04GENERAL1', '/agent count');
    await workspace.until(() => ada.modal());
    expect(await ada.submits()).toEqual({});
  });
});
