import { describe, expect, it } from 'vitest';
import { hasChromium, whySkipped } from './support/chromium.ts';
import { usePage } from './support/use-page.ts';

const engineering = '#/U04ADALOVEL/C04ENGINEER';

describe.skipIf(!hasChromium)(
  `a slash command on the page${hasChromium ? '' : ` (${whySkipped})`}`,
  () => {
    const openPage = usePage();

    it('is completed, opens a modal, shows a field error, and posts a message', async () => {
      const { page } = await openPage({ at: engineering });
      const composer = page.getByLabel('Message #engineering');
      await composer.fill('/t');
      await page.getByRole('option', { name: /\/try/ }).getByText('Try it').waitFor();
      await composer.press('Tab');
      expect(await composer.inputValue()).toBe('/try ');
      await composer.pressSequentially('bad');
      await composer.press('Enter');

      const modal = page.getByRole('dialog', { name: 'Start an agent run' });
      const prompt = modal.getByLabel('Prompt');
      await expect.poll(() => prompt.inputValue()).toBe('bad');
      await modal.getByRole('button', { name: 'Start run' }).click();
      await modal.getByRole('alert').getByText('This prompt is bad.').waitFor();
      await expect.poll(() => prompt.evaluate((field) => field.matches(':focus'))).toBe(true);

      await prompt.fill('Mend the login');
      await modal.getByRole('button', { name: 'Start run' }).click();
      await modal.waitFor({ state: 'detached' });
      const card = page.getByRole('article', { name: 'Message from test-app' });
      await card.getByRole('heading', { name: 'Mend the login' }).waitFor();
    });

    it('shows an error if it is unknown, and restores the text', async () => {
      const { page } = await openPage({ at: engineering });
      const composer = page.getByLabel('Message #engineering');
      await composer.fill('/nothing here');
      await composer.press('Enter');
      await page.getByRole('status').getByText('/nothing is not a valid command').waitFor();
      expect(await composer.inputValue()).toBe('/nothing here');
    });
  },
);
