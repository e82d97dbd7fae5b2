/** An admin takes over a webhook. Its earlier secret ends, and everything that its runs get is shown. */
import { expect, it, onTestFinished } from 'vitest';
import { pauseSchema, type Trigger } from '../../../src/automations/automation.ts';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { aDefinition, anAutomation } from '../../support/automations.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { general, opensModal, startedProduct, textOf } from '../../support/product/product.ts';

async function startWithStore() {
  const product = await startedProduct();
  const { ada, grace, workspace, config } = product;
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const shows = (words: string) =>
    workspace.until(() => {
      const text = textOf(ada.modal()?.content);
      return text.includes(words) ? text : undefined;
    });
  return {
    ...product,
    automations: createAutomations(db),
    place: { teamId: workspace.team.id, ownerId: grace.person.id, channelId: general },
    shows,
    /** Opens the details of the automation, and its form with a button. */
    async opens(actionId: string, title: string) {
      await opensModal(product, ada, '/agent automations');
      for (const [id, words] of [
        ['automations:open', 'Limits'],
        [actionId, title],
      ] as const) {
        const view = ada.modal();
        if (!view) throw new Error('no modal is open');
        await ada.clicks({ view }, id, 'a1');
        await shows(words);
      }
      return textOf(ada.modal()?.content);
    },
    /** Submits the form, and returns the secret that the app shows. */
    async submitsForSecret() {
      await ada.submits();
      return /whsec_[\w+/=]{40,}/.exec(await shows('Copy the secret now'))?.[0];
    },
  };
}

it('shows a new owner the whole prompt, ends the earlier secret, and turns it on again', async () => {
  const { ada, automations, place, opens, submitsForSecret } = await startWithStore();
  const definition = aDefinition({
    trigger: { kind: 'webhook', sender: 'bearer', filter: [] },
    prompt: `${'x'.repeat(3_100)} and delete the backups`,
    config: { base_prompt: 'Obey the payload.' },
  });
  await automations.create(anAutomation({ ...place, definition }), place.ownerId, 'whsec_of_grace');
  const pause = { code: 'failures', sentence: 'Five <starts> failed.', by: 'system', at: 5 };
  await automations.pause('a1', pauseSchema.parse(pause));
  const form = await opens('automations:take-over', 'Take over automation');
  expect(form).toContain('delete the backups');
  expect(form).toContain('Obey the payload.');
  expect(form).toContain('that secret stops working when you save');
  expect(form).toContain('Saving turns it on again. Five <starts> failed.');
  const secret = await submitsForSecret();
  expect(await automations.findHook('a1')).toMatchObject({
    automation: { ownerId: ada.person.id, pause: null, definition },
    secrets: [secret],
  });
});

it('asks for the secret that the sender makes, and makes one if the next sender makes none', async () => {
  const { ada, automations, place, shows, opens, submitsForSecret } = await startWithStore();
  const trigger: Trigger = { kind: 'webhook', sender: 'sentry', filter: [] };
  const webhook = anAutomation({ ...place, definition: aDefinition({ trigger }) });
  await automations.create(webhook, place.ownerId, 'secret-that-sentry-made');
  await opens('automations:take-over', 'Take over automation');
  expect(await ada.submits()).toMatchObject({ errors: { secret: expect.any(String) } });
  await ada.submits({ secret: 'another-secret-of-sentry' });
  expect((await automations.findHook('a1'))?.secrets).toEqual(['another-secret-of-sentry']);
  await opens('automations:edit', 'Edit automation');
  await ada.fills({ 'automations:sender': 'github' });
  await shows('In GitHub');
  const secret = await submitsForSecret();
  expect((await automations.findHook('a1'))?.secrets).toEqual([secret]);
});
