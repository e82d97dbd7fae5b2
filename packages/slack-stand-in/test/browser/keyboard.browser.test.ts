import { describe, expect, it } from 'vitest';
import { engineering, engineeringId } from './support/engineering.ts';
import { usePage } from './support/use-page.ts';

describe('the keyboard', () => {
  const openPage = usePage();

  it('has the focus in the composer at once, so that no letter is lost, and starts a run without the pointer', async () => {
    const { page } = await openPage({ at: engineering });
    await page.addInitScript(`
      const observer = new MutationObserver(() => {
        const composer = document.querySelector('textarea');
        if (!composer) return;
        observer.disconnect();
        window.wasInComposer = document.activeElement === composer;
      });
      observer.observe(document, { childList: true, subtree: true });
    `);
    await page.reload();
    await page.getByText('No messages yet.').waitFor();
    await page.getByLabel('Message #engineering').waitFor();
    expect(await page.evaluate('window.wasInComposer')).toBe(true);
    await page.keyboard.type('/t');
    await page.keyboard.press('Enter');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'sandbox' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByLabel('Environment').getByText('sandbox').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'by keyboard' }).waitFor();
  });

  it('reaches messages and their actions, and the global shortcuts', async () => {
    const { page, workspace } = await openPage({ at: engineering });
    await page.getByLabel('Message #engineering').waitFor();
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    const message = page.getByRole('article').filter({ hasText: 'two' });
    await message.waitFor();
    expect(workspace.messagesIn(engineeringId).at(-1)?.text).toBe('one\ntwo');
    await message.getByRole('button', { name: 'Add reaction' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByLabel('Reply…').waitFor();
    await page.keyboard.type('Hello you');
    await page.keyboard.press('Enter');
    await thread.getByText('Hello you').waitFor();
    const shortcuts = page.getByRole('main').getByRole('button', { name: 'Shortcuts' });
    await shortcuts.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: /Anywhere/ }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('menuitem').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: /Anywhere/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Start an agent run' }).waitFor();
  });
});
