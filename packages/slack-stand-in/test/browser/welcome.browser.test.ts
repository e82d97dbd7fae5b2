import { describe, expect, it } from 'vitest';
import { hasChromium, whySkipped } from './support/chromium.ts';
import { usePage } from './support/use-page.ts';

const engineering = '#/U04ADALOVEL/C04ENGINEER';
const welcome = { title: 'Start here', text: 'Pick an example.', examples: ['/try bad', '/try x'] };

describe.skipIf(!hasChromium)(`an empty channel${hasChromium ? '' : ` (${whySkipped})`}`, () => {
  const openPage = usePage();

  it('shows the welcome, and puts an example into the composer with one click', async () => {
    const { page } = await openPage({ at: engineering, welcome });
    await page.getByRole('heading', { name: 'Start here' }).waitFor();
    await page.getByRole('button', { name: '/try bad' }).click();
    const composer = page.getByLabel('Message #engineering');
    expect(await composer.inputValue()).toBe('/try bad');
    await composer.press('Enter');
    await page.getByRole('dialog', { name: 'Start an agent run' }).waitFor();
  });

  it('shows that it has no messages if there is no welcome', async () => {
    const { page } = await openPage({ at: engineering });
    await page.getByText('No messages yet.').waitFor();
  });
});
