import { describe, expect, it } from 'vitest';
import { engineering, engineeringId } from './support/engineering.ts';
import { usePage } from './support/use-page.ts';

describe('people on the page', () => {
  const openPage = usePage();

  it('have their own channels, times, unread messages and direct messages', async () => {
    const { page, app, workspace } = await openPage({ at: engineering });
    const text = '<!date^1700000000^{time}|then>';
    await app.client.chat.postMessage({ channel: engineeringId, text });
    const time = page.getByRole('log').locator('.message-body time');
    expect(await time.textContent()).toBe('10:13 PM');
    await page.getByRole('link', { name: 'secret-project' }).waitFor();
    await workspace.as('Grace Hopper').types('C04GENERAL1', 'Good morning');
    await page.getByRole('link', { name: 'general' }).getByText('1', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'general' }).click();
    await page.getByText('Good morning').waitFor();
    await expect.poll(() => page.locator('.badge').count()).toBe(0);

    await page.getByRole('button', { name: 'New direct message' }).click();
    await page.getByRole('menuitem', { name: 'Grace Hopper' }).click();
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Psst');
    await page.keyboard.press('Enter');
    await page.getByRole('article').filter({ hasText: 'Psst' }).waitFor();
    await page.goto(`${workspace.url}/#/U04GRACEHOP`);
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();

    await page.goto(`${workspace.url}/${engineering}`);
    await page.getByRole('button', { name: 'Switch person' }).click();
    await page.getByRole('menuitem', { name: /Sam Guest/ }).click();
    await page.getByRole('button', { name: 'Switch person' }).getByText('Guest').first().waitFor();
    await expect.poll(() => time.textContent()).toBe('11:13 PM');
    expect(await page.getByRole('link', { name: 'secret-project' }).count()).toBe(0);
  });

  it('post as a bot of another app, and react to its alert', async () => {
    const { page, workspace } = await openPage({ at: '#/U04ADALOVEL/C04ALERTS01' });
    const become = async (name: string) => {
      await page.getByRole('button', { name: 'Switch person' }).click();
      await page.getByRole('menuitem', { name: new RegExp(name) }).click();
      const me = page.getByRole('button', { name: 'Switch person' });
      await me.getByText(name).first().waitFor();
    };
    await become('Alertmanager');
    await page.getByLabel('Message #alerts').fill('DiskFull on db-1');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('article').filter({ hasText: 'DiskFull' });
    await alert.getByText('APP').waitFor();
    await become('Grace Hopper');
    await alert.hover();
    await alert.getByRole('button', { name: 'Add reaction' }).click();
    await page.getByRole('menuitem', { name: /eyes/ }).click();
    await alert.getByRole('button', { name: /eyes|👀/, pressed: true }).waitFor();
    expect(workspace.messagesIn('C04ALERTS01').at(-1)).toMatchObject({
      botId: 'B04ALERTBOT',
      reactions: [{ name: 'eyes', userIds: ['U04GRACEHOP'] }],
    });
  });

  it('filter the Home tab by creator, and add the app to a channel', async () => {
    const { page, workspace } = await openPage({ at: '#/U04ADALOVEL/home' });
    const home = page.getByRole('tabpanel', { name: 'Home' });
    await home.getByText('Fix the login redirect').waitFor();
    await home.getByRole('button', { name: 'Everyone' }).click();
    await page.getByRole('option', { name: /Grace Hopper/ }).click();
    await home.getByText('Fix the login redirect').waitFor({ state: 'detached' });
    await home.getByText('Upgrade the compiler').waitFor();
    await home.getByRole('button', { name: 'Grace Hopper' }).waitFor();
    await page.goto(`${workspace.url}/#/U04ADALOVEL/C04RANDOM01`);
    await page.getByRole('button', { name: 'Channel options' }).click();
    await page.getByRole('menuitem', { name: /Add Test App/ }).click();
    const random = workspace.channels.find(({ name }) => name === 'random');
    await expect.poll(() => random?.memberIds.includes(workspace.bot.userId)).toBe(true);
  });
});
