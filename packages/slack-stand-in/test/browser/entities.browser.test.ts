import type { App } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { anEntity, entityDetails } from '../support/an-entity.ts';
import { engineering, engineeringId } from './support/engineering.ts';
import { hostile } from './support/hostile-text.ts';
import { usePage } from './support/use-page.ts';

/** Registers an app that shows a card for each link, and details to people who open it. */
function registerEntityApp(app: App): void {
  let status = hostile;
  app.event('link_shared', async ({ event, client }) => {
    const { channel, message_ts: ts } = event;
    await client.chat.unfurl({ channel, ts, metadata: { entities: [anEntity] } });
  });
  app.event('entity_details_requested', async ({ event, client }) => {
    const { entity_payload: payload } = entityDetails;
    const fields = { ...payload.fields, status: { value: status } };
    await client.entity.presentDetails({
      trigger_id: event.trigger_id,
      metadata: { ...entityDetails, entity_payload: { ...payload, fields } },
    });
  });
  app.action('stop', async ({ ack }) => {
    status = 'Stopped';
    await ack();
  });
}

describe('work objects on the page', () => {
  const openPage = usePage();

  it('are cards, and open details in a pane, with buttons that reach the app', async () => {
    const { page, workspace } = await openPage({ at: engineering, register: registerEntityApp });
    await workspace.as('ada').types(engineeringId, `look at ${anEntity.url}`);
    const card = page.getByRole('article').filter({ hasText: 'look at' });
    await card.getByText('In progress').waitFor();
    await card.getByRole('button', { name: 'Count the files' }).click();
    const pane = page.getByRole('complementary', { name: 'Agent run' });
    await pane.getByText('<img src=x').waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    await pane.getByRole('link', { name: '3 files' }).waitFor();
    await pane.getByRole('button', { name: 'Stop' }).click();
    await pane.getByText('Stopped').waitFor();
    await pane.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Start again' }).waitFor();
    await page.keyboard.press('Escape');
    await pane.getByRole('button', { name: 'Close details' }).click();
    await pane.waitFor({ state: 'detached' });
  });
});
