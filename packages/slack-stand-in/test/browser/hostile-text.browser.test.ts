import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { engineering, engineeringId } from './support/engineering.ts';
import { hostileBlocks, registerHostileApp } from './support/hostile-app.ts';
import { hostile } from './support/hostile-text.ts';
import { usePage } from './support/use-page.ts';

/**
 * Expects that no script ran and no element was created. A violation of the page's policy fails the test as a console
 * error.
 */
async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(await page.locator('#page script, img[src="x"], [onerror]').count()).toBe(0);
  expect(await page.locator('a[href^="javascript:" i]').count()).toBe(0);
}

describe('hostile text on the page', () => {
  const openPage = usePage();
  const open = async (at: string) => {
    const started = await openPage({ at, register: registerHostileApp });
    for (const person of started.workspace.people) {
      person.realName = `${hostile} ${person.name}`;
      person.title = hostile;
    }
    for (const channel of started.workspace.channels) channel.topic = hostile;
    return started;
  };

  it('stays text in messages, names, topics, attachments, menus, threads and traffic', async () => {
    const { page, app, workspace } = await open(engineering);
    const channel = engineeringId;
    await workspace.as('U04GRACEHOP').types(channel, hostile);
    const attachments = [{ color: hostile, title: hostile, text: hostile, footer: hostile }];
    await app.client.chat.postMessage({ channel, text: hostile, attachments });
    await app.client.chat.postMessage({ channel, text: hostile, blocks: hostileBlocks });
    const last = page.getByRole('article').last();
    await last.getByRole('heading').getByText('<img src=x').waitFor();
    await last.getByRole('button', { name: 'More options' }).click();
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('Escape');
    await last.getByRole('button', { name: /<img/ }).last().click();
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Switch person' }).click();
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.composer textarea').fill('@');
    await page.getByRole('option').first().waitFor();
    await expectHarmless(page);
    await page.keyboard.press('Escape');

    const { message } = await workspace.as('U04GRACEHOP').types(engineeringId, hostile);
    await workspace
      .as('U04ALANTURI')
      .types(engineeringId, hostile, { threadTs: message?.ts ?? '' });
    await page.getByRole('button', { name: /1 reply/ }).click();
    await page
      .getByRole('complementary', { name: 'Thread' })
      .getByText('<script>')
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Traffic' }).click();
    await page.locator('.traffic-line').first().click();
    await page.getByRole('heading', { name: 'Request' }).waitFor();
    await expectHarmless(page);
  });

  it('stays text in modals, their errors and their searches, in the Home tab and in the address', async () => {
    const { page, workspace } = await open(engineering);
    await page.locator('.composer textarea').fill(`/try ${hostile}`);
    await page.keyboard.press('Enter');
    const modal = page.getByRole('dialog');
    await modal.getByText('Search hostile things').click();
    await page.getByRole('option', { name: /<img/ }).click();
    await modal.getByRole('button', { name: '<b>Go</b>' }).click();
    await modal.getByRole('alert').getByText('<img src=x').waitFor();
    await expectHarmless(page);
    await page.keyboard.press('Escape');
    await modal.waitFor({ state: 'detached' });
    await page.getByText('Only visible to you').waitFor();
    await expectHarmless(page);
    await page.goto(`${workspace.url}/#/U04ADALOVEL/home`);
    await page.getByRole('tabpanel').getByRole('heading').getByText('<img src=x').waitFor();
    await expectHarmless(page);
    await page.goto(`${workspace.url}/#/${encodeURIComponent(hostile)}/x`);
    await page.reload();
    await page.getByLabel('Message #general').waitFor();
    await expectHarmless(page);
  });
});
