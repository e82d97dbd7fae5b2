import { describe, expect, it } from 'vitest';
import { hasChromium, whySkipped } from './support/chromium.ts';
import { engineering, engineeringId } from './support/engineering.ts';
import { usePage } from './support/use-page.ts';

describe.skipIf(!hasChromium)(`the keyboard${hasChromium ? '' : ` (${whySkipped})`}`, () => {
  const openPage = usePage();

  it('starts a run without the pointer', async () => {
    const { page } = await openPage({ at: engineering });
    await page.getByLabel('Message #engineering').waitFor();
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

  it('opens the global shortcuts, moves in them and closes them', async () => {
    const { page } = await openPage({ at: engineering });
    const shortcuts = page.getByRole('button', { name: 'Shortcuts' });
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

  it('reaches the actions of a message', async () => {
    const { page, workspace } = await openPage({ at: engineering });
    await workspace.as('Grace Hopper').types(engineeringId, 'Hello');
    const message = page.getByRole('article').filter({ hasText: 'Hello' });
    await message.getByRole('button', { name: 'Add reaction' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByLabel('Reply…').waitFor();
    await page.keyboard.type('Hello you');
    await page.keyboard.press('Enter');
    await thread.getByText('Hello you').waitFor();
  });

  it('has the focus in the composer at once, so that no letter is lost', async () => {
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
    await page.getByLabel('Message #engineering').waitFor();
    expect(await page.evaluate('window.wasInComposer')).toBe(true);
  });

  it('breaks lines with Shift+Enter', async () => {
    const { page, workspace } = await openPage({ at: engineering });
    await page.getByLabel('Message #engineering').waitFor();
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    await page.getByRole('article').filter({ hasText: 'two' }).waitFor();
    expect(workspace.messagesIn(engineeringId).at(-1)?.text).toBe('one\ntwo');
  });
});
