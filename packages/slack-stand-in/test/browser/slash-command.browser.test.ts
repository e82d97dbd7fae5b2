import { describe, expect, it } from 'vitest';
import { usePage } from './support/use-page.ts';

const engineering = '#/U04ADALOVEL/C04ENGINEER';
const welcome = {
  title: 'Start here',
  text: 'Select an example.',
  examples: ['/try bad', '/try x'],
};

describe('a slash command on the page', () => {
  const openPage = usePage();

  it('is an example of the welcome, opens a modal, shows a field error, and posts a message', async () => {
    const { page } = await openPage({ at: engineering, welcome });
    const composer = page.getByLabel('Message #engineering');
    await page.getByRole('heading', { name: 'Start here' }).waitFor();
    await composer.fill('/t');
    await page.getByRole('option', { name: /\/try/ }).getByText('Try it').waitFor();
    await composer.press('Tab');
    expect(await composer.inputValue()).toBe('/try ');
    await composer.fill('');
    await page.getByRole('button', { name: '/try bad' }).click();
    expect(await composer.inputValue()).toBe('/try bad');
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

    // An unknown command shows an error and restores the text.
    await composer.fill('/nothing here');
    await composer.press('Enter');
    await page.getByRole('status').getByText('/nothing is not a valid command').waitFor();
    expect(await composer.inputValue()).toBe('/nothing here');
  });
});
