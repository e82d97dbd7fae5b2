/** Uses each form of the product once in a browser. Other tests cover the rules behind the forms without a browser. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useBrowser } from '../../packages/slack-stand-in/test/browser/support/use-browser.ts';
import { startAskingProduct } from '../support/product/asking.ts';
import { refreshHomes } from '../support/product/home.ts';
import { createKeyedService } from '../support/product/keyed-service.ts';
import { runMessageShowing, startedProduct, startProduct } from '../support/product/product.ts';

const general = '#/U04ADALOVEL/C04GENERAL1';

describe('the whole product in a browser', () => {
  const browser = useBrowser();
  const parts = () => ({ pageFolder: browser.pageFolder(), keepTriggers: true });
  const open = async (at: string) => {
    const product = await startedProduct({}, parts());
    const page = await browser.open(`${product.workspace.url}/${at}`);
    return { ...product, page };
  };
  const types = async (page: Page, text: string) => {
    await page.getByLabel('Message #general').fill(text);
    await page.keyboard.press('Enter');
  };
  const becomesGrace = async (page: Page, url: string) => {
    await page.goto(`${url}/#/U04GRACEHOP/C04GENERAL1`);
    await page.getByRole('button', { name: 'Switch person' }).getByText('Grace Hopper').waitFor();
  };
  const picks = async (page: Page, form: Locator, label: string, choice: string | RegExp) => {
    await form.getByLabel(label, { exact: true }).click();
    await page.getByRole('option', { name: choice }).click();
  };

  it('goes from the command over the form and an error at its field to a rated run with details', async () => {
    const { page } = await open(general);
    const composer = page.getByLabel('Message #general');
    await composer.fill('/ag');
    await page.getByRole('option', { name: /\/agent/ }).waitFor();
    await composer.press('Enter');
    await composer.press('Enter');
    const form = page.getByRole('dialog');
    const prompt = form.getByRole('textbox').first();
    await prompt.fill('');
    await page.keyboard.press('Control+Enter');
    await form.getByRole('alert').first().waitFor();
    await prompt.fill('look around well');
    await form.getByLabel('Environment').click();
    await page.getByLabel('Search options').fill('shell');
    await page.getByRole('option', { name: /shell/ }).first().waitFor();
    await page.keyboard.press('Enter');
    await form.getByLabel('Environment').getByText('shell').waitFor();
    await form.getByRole('button', { name: 'More options' }).click();
    await form.getByLabel(/^Model/).waitFor();
    // The clicked button is gone. The new input has the focus, so keyboard users can continue.
    expect(await form.locator(':focus').count()).toBe(1);
    expect(await prompt.inputValue()).toBe('look around well');
    await form.getByLabel('Environment').getByText('shell').waitFor();
    await page.keyboard.press('Control+Enter');
    await form.waitFor({ state: 'detached' });

    const card = page.getByRole('article').filter({ hasText: 'look around well' }).first();
    await card.getByText('Succeeded').waitFor();
    await card.getByRole('link', { name: 'Open session' }).waitFor();
    for (const rating of ['Bad result', 'Good result']) {
      await card.getByRole('button', { name: 'More options' }).click();
      await page.getByRole('menuitem', { name: rating }).click();
    }
    const details = page.getByRole('dialog');
    await expect
      .poll(async () => {
        await card.getByRole('button', { name: 'Details' }).click();
        await details.getByText('look around well').first().waitFor();
        const isRated = await details.getByText('Ratings: 1 good, 0 bad').count();
        await page.keyboard.press('Escape');
        await details.waitFor({ state: 'detached' });
        return isRated;
      })
      .toBe(1);
  });

  it('starts a run in the Home tab, and cancels and repeats it from its row', async () => {
    const { page, config, workspace } = await open('#/U04ADALOVEL/home');
    const home = page.getByRole('tabpanel', { name: 'Home' });
    await home.getByText('1. Type a command.').waitFor();
    await home.getByRole('button', { name: 'New run' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox').first().fill('wait for me');
    await form.getByLabel('Post in').click();
    await page.getByLabel('Search options').fill('engineering');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await form.waitFor({ state: 'detached' });
    await runMessageShowing(workspace, 'In progress', 'C04ENGINEER');
    await refreshHomes(config.databaseUrl);
    await home.getByText('In progress').waitFor();
    await home.getByRole('img', { name: 'Picture of Ada Lovelace' }).first().waitFor();
    const menu = async (item: string) => {
      // Skip the first menu, which belongs to the Home tab.
      await home.getByRole('button', { name: 'More options' }).nth(1).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    await menu('Cancel');
    const question = page.getByRole('dialog', { name: 'Cancel this run?' });
    await question.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Canceling this run').waitFor();
    await page.keyboard.press('Escape');
    await runMessageShowing(workspace, 'Canceled', 'C04ENGINEER');
    await refreshHomes(config.databaseUrl);
    await home.getByText('Canceled', { exact: false }).nth(1).waitFor();
    await menu('Run again with changes');
    await form.getByRole('textbox').first().fill('count them');
    await page.keyboard.press('Control+Enter');
    await form.waitFor({ state: 'detached' });
    await workspace.until(() =>
      JSON.stringify(workspace.messagesIn('C04ENGINEER')).includes('repeats'),
    );
  });

  it('shows what an agent wants to do, and lets it by a click in the thread', async () => {
    const { workspace, ada } = await startAskingProduct(parts());
    const page = await browser.open(`${workspace.url}/${general}`);
    await page.getByLabel('Message #general').waitFor();
    await ada.types('C04GENERAL1', '/agent run ask before you delete README.md');
    const message = page.getByRole('article').filter({ hasText: 'Needs input' }).first();
    await message.getByRole('button', { name: /repl/ }).click();
    const card = page.getByRole('article').filter({ hasText: 'rm README.md' }).first();
    await card.getByRole('button', { name: 'Allow once' }).click();
    await page.getByRole('article').getByText('Allowed once by').waitFor();
    await page.getByText('Deleted README.md.').first().waitFor();
  });

  it('lets an admin add a connection and a rule, which others meet', async () => {
    const product = await startProduct({ connectionHosts: ['127.0.0.1'] }, parts());
    const second = await createKeyedService('second');
    await product.startBot();
    const { url } = product.workspace;
    const page = await browser.open(`${url}/${general}`);
    const dialog = page.getByRole('dialog').last();
    await types(page, '/agent connect');
    await dialog.getByRole('button', { name: 'Add connection' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('second');
    await dialog.getByLabel('Runs service URL').fill(second.url);
    await dialog.getByLabel('API key').fill('wrong-key-0123456789');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('rejected this key').waitFor();
    await dialog.getByLabel('API key').fill(second.adminKey);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('second is added').waitFor();
    await product.ada.closesModal({ all: true });
    await becomesGrace(page, url);
    await types(page, '/agent run count there');
    await page.getByText('second did: count there').waitFor();
    expect((await second.runs()).map(({ prompt }) => prompt)).toEqual(['count there']);

    await page.goto(`${url}/${general}`);
    await page.getByRole('button', { name: 'Switch person' }).getByText('Ada Lovelace').waitFor();
    await types(page, '/agent settings');
    await dialog.getByRole('button', { name: 'Rules' }).click();
    await dialog.getByRole('button', { name: 'Add rule' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Freeze');
    await picks(page, dialog, 'Block (optional)', /^Start runs$/);
    // The list of a field with several choices stays open.
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('1. Freeze').waitFor();
    await dialog.getByRole('button', { name: 'Check permissions' }).click();
    await picks(page, dialog, 'Person', /Grace Hopper/);
    await dialog.getByRole('button', { name: 'Show' }).click();
    await dialog.getByText('rule "Freeze"').waitFor();
    await becomesGrace(page, url);
    await types(page, '/agent run count the TODO comments');
    await page.getByText('The rule "Freeze" blocks starting runs.').waitFor();
  });
});
