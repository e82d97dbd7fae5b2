import type { Locator, Page } from 'playwright-core';
import { describe, it } from 'vitest';
import {
  hasChromium,
  whySkipped,
} from '../../packages/slack-stand-in/test/browser/support/chromium.ts';
import { useBrowser } from '../../packages/slack-stand-in/test/browser/support/use-browser.ts';
import { startedProduct } from '../support/product/product.ts';

const name = `rules in a browser${hasChromium ? '' : ` (${whySkipped})`}`;

/** Looks for a choice of a menu by its label and picks it. */
async function picks(
  page: Page,
  form: Locator,
  label: string,
  choice: string | RegExp,
): Promise<void> {
  await form.getByLabel(label, { exact: true }).click();
  await page.getByRole('option', { name: choice }).click();
}

describe.skipIf(!hasChromium)(name, () => {
  const browser = useBrowser();

  it('are added by an admin, refuse a start, and say who can do what', async () => {
    const parts = { pageFolder: browser.pageFolder(), keepTriggers: true };
    const product = await startedProduct({}, parts);
    const page = await browser.open(`${product.workspace.url}/#/U04ADALOVEL/C04GENERAL1`);
    const composer = page.getByLabel('Message #general');
    await composer.fill('/agent settings');
    await composer.press('Enter');
    const dialog = page.getByRole('dialog').last();
    await dialog.getByRole('button', { name: 'Workspace settings' }).click();
    await dialog.getByText('No rules. Rules say').waitFor();
    await dialog.getByRole('button', { name: 'Show rules' }).click();
    await dialog.getByText('No rules yet').waitFor();
    await dialog.getByRole('button', { name: 'Add rule' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Freeze');
    await picks(page, dialog, 'Start runs', /^No$/);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('1. Freeze').waitFor();
    await dialog.getByRole('button', { name: 'What can someone do?' }).click();
    await picks(page, dialog, 'Person', /Grace Hopper/);
    await dialog.getByRole('button', { name: 'Show' }).click();
    await dialog.getByText('rule "Freeze"').waitFor();
    await page.goto(`${product.workspace.url}/#/U04GRACEHOP/C04GENERAL1`);
    await page.getByRole('button', { name: 'Switch person' }).getByText('Grace Hopper').waitFor();
    await composer.fill('/agent run count the TODO comments');
    await composer.press('Enter');
    await page.getByText('The rule "Freeze" doesn\'t let you start runs.').waitFor();
  });
});
