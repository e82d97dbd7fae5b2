import { describe, expect, it } from 'vitest';
import {
  hasChromium,
  whySkipped,
} from '../../packages/slack-stand-in/test/browser/support/chromium.ts';
import { useBrowser } from '../../packages/slack-stand-in/test/browser/support/use-browser.ts';
import { createKeyedService } from '../support/product/keyed-service.ts';
import { startProduct } from '../support/product/product.ts';

const name = `connections in a browser${hasChromium ? '' : ` (${whySkipped})`}`;

describe.skipIf(!hasChromium)(name, () => {
  const browser = useBrowser();

  it('are added by an admin, and each gets the runs that choose it', async () => {
    const parts = { pageFolder: browser.pageFolder(), keepTriggers: true };
    const product = await startProduct({ connectionHosts: ['127.0.0.1'] }, parts);
    const second = await createKeyedService('second');
    await product.startBot();
    const page = await browser.open(`${product.workspace.url}/#/U04ADALOVEL/C04GENERAL1`);
    const composer = page.getByLabel('Message #general');
    const types = async (text: string) => {
      await composer.fill(text);
      await composer.press('Enter');
    };
    await types('/agent connect');
    const dialog = page.getByRole('dialog').last();
    await dialog.getByRole('button', { name: 'Add connection' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('second');
    await dialog.getByLabel('URL of the runs service').fill(second.url);
    await dialog.getByLabel('API key').fill('wrong-key-0123456789');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('refuses this key').waitFor();
    await dialog.getByLabel('API key').fill(second.adminKey);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('second is added').waitFor();
    await page.goto(`${product.workspace.url}/#/U04GRACEHOP/C04GENERAL1`);
    await page.getByRole('button', { name: 'Switch person' }).getByText('Grace Hopper').waitFor();
    await types('/agent run count there');
    await page.getByText('second did: count there').waitFor();
    await types('/agent run connection=default count here');
    await page.getByText('done: count here').waitFor();
    expect((await second.runs()).map(({ prompt }) => prompt)).toEqual(['count there']);
  });
});
