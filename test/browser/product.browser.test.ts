import { describe, expect, it } from 'vitest';
import {
  hasChromium,
  whySkipped,
} from '../../packages/slack-stand-in/test/browser/support/chromium.ts';
import { useBrowser } from '../../packages/slack-stand-in/test/browser/support/use-browser.ts';
import { startedProduct } from '../support/product/product.ts';

const general = '#/U04ADALOVEL/C04GENERAL1';
const name = `the whole product in a browser${hasChromium ? '' : ` (${whySkipped})`}`;

describe.skipIf(!hasChromium)(name, () => {
  const browser = useBrowser();
  const open = async (at: string) => {
    const product = await startedProduct(
      {},
      { pageFolder: browser.pageFolder(), keepTriggers: true },
    );
    const page = await browser.open(`${product.workspace.url}/${at}`);
    return { ...product, page };
  };

  it('goes from the command over the form and an error at its field to the finished run and the Home tab', async () => {
    const { page } = await open(general);
    const composer = page.getByLabel('Message #general');
    await composer.fill('/ag');
    await page.getByRole('option', { name: /\/agent/ }).waitFor();
    await composer.press('Enter');
    await composer.press('Enter');
    const modal = page.getByRole('dialog');
    const prompt = modal.getByRole('textbox').first();
    await prompt.fill('');
    await page.keyboard.press('Control+Enter');
    await modal.getByRole('alert').first().waitFor();
    await prompt.fill('count the old TODO comments');
    await page.keyboard.press('Control+Enter');
    await modal.waitFor({ state: 'detached' });

    const card = page.getByRole('article').filter({ hasText: 'count the old TODO comments' });
    await card.getByText('Succeeded').waitFor();
    await card.getByRole('link', { name: 'Open session' }).waitFor();

    await page.getByRole('link', { name: 'slash-agent' }).click();
    const home = page.getByRole('tabpanel', { name: 'Home' });
    await home.getByText('count the old TODO comments').waitFor();
  });

  it('lets one find the runs of another in the Home tab', async () => {
    const { page, workspace, ada } = await open('#/U04GRACEHOP/home');
    await ada.types('C04GENERAL1', '/agent Ada asked for this');
    await workspace.until(() => ada.modal());
    expect(await ada.submits()).toEqual({});
    await workspace.until(() => {
      return JSON.stringify(workspace.messagesIn('C04GENERAL1')).includes('Succeeded');
    });
    const home = page.getByRole('tabpanel', { name: 'Home' });
    await home.getByRole('button', { name: 'My runs' }).click();
    await page.getByRole('option', { name: "Everyone's runs" }).click();
    await home.getByText('Ada asked for this').waitFor();
    await home.getByRole('button', { name: "Everyone's runs" }).click();
    await page.getByRole('option', { name: 'Runs by…' }).click();
    await home.getByRole('button', { name: /Choose a creator|Grace Hopper/ }).click();
    await page.getByRole('option', { name: /Alan Turing/ }).click();
    await home.getByText('Ada asked for this').waitFor({ state: 'detached' });
  });

  it('cancels a run only after the person has confirmed', async () => {
    const { page, workspace, ada } = await open(general);
    await ada.types('C04GENERAL1', '/agent wait for ever');
    await workspace.until(() => ada.modal());
    await ada.submits();
    const card = page.getByRole('article').filter({ hasText: 'wait for ever' }).first();
    await card.getByRole('button', { name: 'Cancel' }).click();
    const question = page.getByRole('dialog', { name: 'Cancel this run?' });
    await question.getByRole('button', { name: 'Keep running' }).click();
    await question.waitFor({ state: 'detached' });
    await card.getByText('In progress').waitFor();
    await card.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Cancel run' }).click();
    await card.getByText('Canceled', { exact: true }).waitFor();
    await expect.poll(() => card.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  });

  it('takes an environment by search, keeps the form when it grows, takes feedback, and shows all details of the run', async () => {
    const { page } = await open(general);
    await page.getByLabel('Message #general').fill('/agent look around');
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog');
    await form.getByRole('textbox').first().fill('look around well');
    await form.getByLabel('Environment').click();
    await page.getByLabel('Search options').fill('shell');
    await page.getByRole('option', { name: /shell/ }).first().waitFor();
    await page.keyboard.press('Enter');
    await form.getByLabel('Environment').getByText('shell').waitFor();
    await form.getByRole('button', { name: 'More options' }).click();
    await form.getByLabel(/^Model/).waitFor();
    // The button is gone; what it brought has the focus, so the keyboard goes on.
    expect(await form.locator(':focus').count()).toBe(1);
    expect(await form.getByRole('textbox').first().inputValue()).toBe('look around well');
    await form.getByLabel('Environment').getByText('shell').waitFor();
    await page.keyboard.press('Control+Enter');
    await form.waitFor({ state: 'detached' });

    const card = page.getByRole('article').filter({ hasText: 'look around well' }).first();
    await card.getByText('Succeeded').waitFor();
    await card.getByRole('button', { name: 'Rate this result as bad' }).click();
    await card.getByRole('button', { name: 'Rate this result as good' }).click();
    await card.getByRole('button', { name: 'Rate this result as good', pressed: true }).waitFor();
    const details = page.getByRole('dialog');
    await expect
      .poll(async () => {
        await card.getByRole('button', { name: 'Details' }).click();
        await details.getByText('look around well').first().waitFor();
        const isRated = await details.getByText('Ratings: 1 good, 0 bad').count();
        if (isRated === 0) await page.keyboard.press('Escape');
        return isRated;
      })
      .toBe(1);
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
  });

  it('runs the agent on an alert by the message shortcut, and answers in its thread', async () => {
    const { page } = await open('#/U04ADALOVEL/C04ALERTS01');
    const alert = page.getByRole('article', { name: 'Message from Alertmanager' });
    await alert.hover();
    await alert.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /Run agent on message/ }).click();
    const form = page.getByRole('dialog');
    await expect
      .poll(() => form.getByRole('textbox').first().inputValue())
      .toContain('HighErrorRate');
    await page.keyboard.press('Control+Enter');
    await form.waitFor({ state: 'detached' });
    await alert.getByRole('button', { name: /repl/ }).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('Succeeded').first().waitFor();
  });

  it('opens the form from the menu beside the composer', async () => {
    const { page } = await open(general);
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await page.getByRole('menuitem', { name: /Start an agent run/ }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox').first().fill('from the menu');
    await form.getByLabel('Post to').click();
    await page.getByLabel('Search options').fill('engineering');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await form.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'engineering' }).click();
    await page.getByRole('article').getByText('from the menu').first().waitFor();
  });
});
