import { describe, expect, it } from 'vitest';
import {
  hasChromium,
  whySkipped,
} from '../../packages/slack-stand-in/test/browser/support/chromium.ts';
import { useBrowser } from '../../packages/slack-stand-in/test/browser/support/use-browser.ts';
import { refreshHomes, startElsewhere } from '../support/product/home.ts';
import { runMessageShowing, startedProduct } from '../support/product/product.ts';

const general = 'C04GENERAL1';
const adaAt = (place: string) => `#/U04ADALOVEL/${place}`;
const name = `runs in a browser${hasChromium ? '' : ` (${whySkipped})`}`;

describe.skipIf(!hasChromium)(name, () => {
  const browser = useBrowser();

  async function open(at: string) {
    const product = await startedProduct(
      {},
      { pageFolder: browser.pageFolder(), keepTriggers: true },
    );
    const page = await browser.open(`${product.workspace.url}/${at}`);
    const home = page.getByRole('tabpanel', { name: 'Home' });
    const pick = async (from: string | RegExp, option: string | RegExp) => {
      await home.getByRole('button', { name: from }).first().click();
      await page.getByRole('option', { name: option }).first().click();
    };
    return { ...product, page, home, pick };
  }

  it('explains how to start at first use, then lists the first run', async () => {
    const { page, home } = await open(adaAt('home'));
    await home.getByText('1. Type a command.').waitFor();
    await home.getByRole('button', { name: "See everyone's runs" }).waitFor();
    await home.getByRole('button', { name: 'New run' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox').first().fill('my first run');
    await form.getByLabel('Post to').click();
    await page.getByLabel('Search options').fill('engineering');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await form.waitFor({ state: 'detached' });
    await home.getByRole('button', { name: 'More options' }).first().click();
    await page.getByRole('menuitem', { name: 'Refresh' }).click();
    await home.getByText('my first run').first().waitFor();
    await home.getByRole('img', { name: 'Picture of Ada Lovelace' }).first().waitFor();
  });

  it('finds runs by creator, by words and page by page', async () => {
    const { page, home, pick, service } = await open(adaAt('home'));
    const titles = Array.from({ length: 22 }, (_, index) => `Work ${index + 10}`);
    await startElsewhere(service.apiUrl, titles);
    await pick('My runs', "Everyone's runs");
    await home.getByText('Work 31').waitFor();
    expect(await home.getByText('Work 10').count()).toBe(0);
    await home.getByRole('button', { name: 'Older →' }).click();
    await home.getByText('Work 10').waitFor();
    await home.getByRole('button', { name: '← Newer' }).click();
    await home.getByText('Work 31').waitFor();
    await pick("Everyone's runs", 'Started outside Slack by…');
    await pick('Choose a creator', 'Ada');
    await home.getByText('Work 31').waitFor();
    await home.getByRole('button', { name: 'Find…' }).click();
    const find = page.getByRole('dialog');
    await find.getByLabel('Words in title or prompt').fill('work 17');
    await page.keyboard.press('Control+Enter');
    await home.getByText('Work 31').waitFor({ state: 'detached' });
    // The filter says the words too.
    await home.getByText('Work 17').first().waitFor();
    await home.getByRole('button', { name: 'Clear filters' }).click();
    await home.getByText('Work 31').waitFor();
  });

  it('shows details, cancels after a question and runs again with changes, from a row', async () => {
    const { page, home, ada, config, workspace } = await open(adaAt('home'));
    await ada.types(general, '/agent run title="A long one" wait for me');
    await runMessageShowing(workspace, 'In progress');
    await refreshHomes(config.databaseUrl);
    await home.getByText('In progress').waitFor();
    const menu = async (item: string) => {
      // The first menu is that of the Home tab itself.
      await home.getByRole('button', { name: 'More options' }).nth(1).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
    };
    await menu('Details');
    await page.getByRole('dialog').getByText('Timeline').waitFor();
    await page.keyboard.press('Escape');
    await menu('Cancel');
    const question = page.getByRole('dialog', { name: 'Cancel this run?' });
    await question.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Canceling this run').waitFor();
    await page.keyboard.press('Escape');
    await runMessageShowing(workspace, 'Canceled');
    await refreshHomes(config.databaseUrl);
    await home.getByText('Canceled', { exact: false }).nth(1).waitFor();
    await menu('Run again with changes');
    const form = page.getByRole('dialog');
    await form.getByRole('textbox').first().fill('count them');
    await page.keyboard.press('Control+Enter');
    await form.waitFor({ state: 'detached' });
    await workspace.until(() => JSON.stringify(workspace.messagesIn(general)).includes('repeats'));
  });

  it('tells who wants to be told, and takes it back', async () => {
    const { page, ada } = await open(`#/U04GRACEHOP/${general}`);
    await ada.types(general, '/agent run title="Watch me" wait for me');
    const card = page.getByRole('article').filter({ hasText: 'Watch me' }).first();
    await card.getByText('In progress').waitFor();
    await card.getByRole('button', { name: 'More options' }).click();
    await page.getByRole('menuitem', { name: 'Notify me' }).click();
    await page.getByText("We'll notify you when the run ends").waitFor();
    await page.getByRole('button', { name: "Don't notify me" }).click();
    await page.getByText("We won't notify you").waitFor();
  });
});
