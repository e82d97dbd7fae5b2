import { describe, expect, it } from 'vitest';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import {
  general,
  held,
  opensModal,
  startedProduct as startedBot,
  textOf,
} from '../../support/product/product.ts';

async function startedProduct() {
  const product = await startedBot();
  const { ada, workspace, config } = product;
  const db = await openTestDatabase(config.databaseUrl);
  const automations = createAutomations(db);
  const shows = (words: string) =>
    workspace.until(() => {
      const view = ada.modal();
      return textOf(view?.content).includes(words) ? view : undefined;
    });
  return {
    ...product,
    shows,
    stored: () => automations.allOf(),
    /** Opens an empty form for a kind of trigger. */
    async opensForm(trigger: string, words: string) {
      await opensModal(product, ada, '/agent schedule');
      await ada.fills({ 'automations:trigger': trigger });
      await shows(words);
    },
  };
}

const filled = { automation_name: 'Nightly', channel: general, prompt: 'check the dependencies' };

describe('the form of an automation', () => {
  it('creates a schedule, says when it runs, and shows it again in words', async () => {
    const { ada, workspace, shows, stored } = await startedProduct();
    await opensModal({ workspace }, ada, '/agent schedule every weekday at 9:00');
    expect(held(ada, 'when')?.['value']).toBe('every weekday at 9:00');
    expect(held(ada, 'time_zone')?.['value']).toBe('Europe/London');
    expect(await ada.submits(filled)).toEqual({});
    const view = await shows('is on');
    expect(textOf(view?.content)).toContain('every weekday at 9:00');
    expect(await stored()).toMatchObject([
      { name: 'Nightly', channelId: general, definition: { trigger: { cron: '0 9 * * MON-FRI' } } },
    ]);
  });

  it('shows only what the trigger has', async () => {
    const { ada, opensForm } = await startedProduct();
    await opensForm('reaction', 'Emoji');
    const fields = Object.keys(ada.modal()?.values ?? {});
    expect(fields).toContain('emoji');
    expect(fields).not.toContain('when');
    expect(fields).not.toContain('show');
  });
});
