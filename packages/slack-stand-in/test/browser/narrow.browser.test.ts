import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { engineering, engineeringId } from './support/engineering.ts';
import { runCard } from './support/sample-app.ts';
import { usePage } from './support/use-page.ts';

/** Expects that nothing is beyond the right edge, and that the page doesn't scroll sideways. */
async function expectToFit(page: Page): Promise<void> {
  const beyond = await page.evaluate(`
    [...document.querySelectorAll('button, a, input, textarea, h1, p, .message-body')]
      .filter((node) => node.checkVisibility() && node.getBoundingClientRect().right > innerWidth + 1)
      .map((node) => node.outerHTML.slice(0, 80))`);
  expect(beyond).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
}

const viewport = { width: 390, height: 844 };

describe('the page at 390 pixels', () => {
  const openPage = usePage();

  it('shows one pane at a time, leads back, and fits with long words everywhere', async () => {
    const { page, app, workspace } = await openPage({ at: '#/U04ADALOVEL', viewport });
    await page.getByRole('link', { name: 'engineering' }).click();
    await page.getByRole('heading', { name: 'engineering' }).waitFor();
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Back to all channels' }).click();
    await page.getByRole('navigation').waitFor();
    await expectToFit(page);
    await page.getByRole('link', { name: 'engineering' }).click();
    const card = runCard('x'.repeat(120), 'U04ADALOVEL', 'Running');
    const { ts = '' } = await app.client.chat.postMessage({ channel: engineeringId, ...card });
    await workspace.as('Grace Hopper').types(engineeringId, 'y'.repeat(300), { threadTs: ts });
    await page.getByRole('button', { name: /1 reply/ }).waitFor();
    await expectToFit(page);
    await page.getByRole('button', { name: /1 reply/ }).click();
    await page.getByRole('complementary', { name: 'Thread' }).waitFor();
    await expectToFit(page);
    await page.goto(`${workspace.url}/#/U04ADALOVEL/home`);
    await page.getByText('Fix the login redirect').waitFor();
    await expectToFit(page);
    await page.goto(`${workspace.url}/#/U04ADALOVEL`);
    await page.getByRole('button', { name: 'Traffic' }).click();
    await page.locator('.traffic-line').first().click();
    await expectToFit(page);
    await page.goto(`${workspace.url}/${engineering}`);
    await page.reload();
    await page.getByLabel('Message #engineering').fill('/try on a phone');
    await page.keyboard.press('Enter');
    const modal = page.getByRole('dialog');
    await modal.getByLabel('Model').click();
    await page.getByRole('option').first().waitFor();
    await expectToFit(page);
  });
});
