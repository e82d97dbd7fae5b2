import { describe, it } from 'vitest';
import {
  hasChromium,
  whySkipped,
} from '../../packages/slack-stand-in/test/browser/support/chromium.ts';
import { useBrowser } from '../../packages/slack-stand-in/test/browser/support/use-browser.ts';
import { startAskingProduct } from '../support/product/asking.ts';

const name = `questions in a browser${hasChromium ? '' : ` (${whySkipped})`}`;

describe.skipIf(!hasChromium)(name, () => {
  const browser = useBrowser();

  it('shows what an agent wants to do, and lets it by a click in the thread', async () => {
    const { workspace, ada } = await startAskingProduct({ pageFolder: browser.pageFolder() });
    const page = await browser.open(`${workspace.url}/#/U04ADALOVEL/C04GENERAL1`);
    await page.getByLabel('Message #general').waitFor();
    await ada.types('C04GENERAL1', '/agent run ask before you delete README.md');
    const message = page.getByRole('article').filter({ hasText: 'Needs input' }).first();
    await message.waitFor();
    await message.getByRole('button', { name: /repl/ }).click();
    const card = page.getByRole('article').filter({ hasText: 'rm README.md' }).first();
    await card.getByRole('button', { name: 'Allow once' }).click();
    await page.getByRole('article').filter({ hasText: '✅' }).getByText('Allow once').waitFor();
    await page.getByText('Deleted README.md.').first().waitFor();
  });
});
