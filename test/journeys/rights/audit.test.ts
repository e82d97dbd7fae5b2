import { expect, it } from 'vitest';
import { addsRule } from '../../support/product/policy.ts';
import {
  general,
  picked,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';
import { savesSettings } from '../../support/product/settings.ts';

it('shows admins who did what, and denies others', async () => {
  const product = await startedProduct();
  const { workspace, ada, grace } = product;
  await ada.types(general, '/agent run title="Count them" wait for the secret prompt');
  const message = await runMessageShowing(workspace, 'In progress');
  await grace.clicks({ channelId: general, messageTs: message.ts }, 'run:cancel');
  await ada.clicks({ channelId: general, messageTs: message.ts }, 'run:cancel');
  await runMessageShowing(workspace, 'Canceled');

  /** Types `/agent audit …` as this person. Returns the private answer. */
  const asks = async (person: typeof ada, words: string) => {
    const told = () =>
      workspace.messagesIn(general).filter(({ visibleTo }) => visibleTo === person.person.id);
    const before = told().length;
    await person.types(general, `/agent audit ${words}`);
    return textOf(await workspace.until(() => told()[before]));
  };
  expect(await asks(grace, '')).toContain('Only workspace admins can read the audit log');
  await expect
    .poll(() => asks(ada, ''))
    .toMatch(/read the audit log.*cancel requested.*rejected.*run started/s);
  const all = await asks(ada, '');
  expect(all).toContain(`<@${grace.person.id}>  *access rejected*`);
  expect(all).toMatch(/\*run started\* {2}<http[^|]+\|Count them>/);
  expect(all).not.toContain('secret prompt');
  expect(await asks(ada, 'start')).not.toContain('cancel requested');
  expect(await asks(ada, '@Grace Hopper')).not.toContain('run started');
  expect(await asks(ada, 'two words')).toContain('accepts');

  await addsRule(product, ada, { name: 'Closed', start: 'no' });
  await expect.poll(() => asks(ada, 'rule_added')).toMatch(/rule added.*Closed.*start.*false/);
});

it('one changed setting is one entry, in words', async () => {
  const product = await startedProduct();
  const { workspace, ada } = product;
  /** Returns the settings entries that `/agent audit` lists. */
  const entries = async () => {
    const before = ada.sees(general).length;
    await ada.types(general, '/agent audit setting');
    const { text } = await workspace.until(() => ada.sees(general)[before]);
    const [, ...lines] = text.split('\n');
    return lines.map((line) => line.replace(/^.*?<@\w+> {2}/, ''));
  };
  await savesSettings(product, ada, 'channel:notifications', {
    'channel:replies': picked('mentions'),
  });
  await expect.poll(entries).toEqual([`*changed replies* in <#${general}>`]);
  await savesSettings(product, ada, 'channel:notifications', { 'channel:digest': picked('9') });
  await savesSettings(product, ada, 'workspace:defaults', {
    'workspace:model_id': picked('large'),
    'workspace:name': 'nightly',
  });
  await expect
    .poll(entries)
    .toEqual([
      '*changed run defaults (model, group)* for the workspace',
      `*changed the daily digest* in <#${general}>`,
      `*changed replies* in <#${general}>`,
    ]);
});
