import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { engineering, engineeringId } from './support/engineering.ts';
import { usePage } from './support/use-page.ts';

/**
 * Runs `act` in the page in the same turn in which `selector` appears, before the next frame. No person is faster, so a
 * slow machine can't change the result.
 */
async function asSoonAs(page: Page, selector: string, act: string): Promise<void> {
  await page.evaluate(`{
    const observer = new MutationObserver(() => {
      const found = document.querySelector(${JSON.stringify(selector)});
      if (!found) return;
      observer.disconnect();
      window.isThere = true;
      ${act}
    });
    observer.observe(document, { childList: true, subtree: true });
  }`);
}
const untilThere = (page: Page) => expect.poll(() => page.evaluate('window.isThere')).toBe(true);

describe('who acts at once', () => {
  const openPage = usePage();

  it('closes a new thread with Escape, chooses the first current match, and has the focus at an error', async () => {
    const { page, workspace } = await openPage({ at: engineering });
    const { message } = await workspace.as('Grace Hopper').types(engineeringId, 'A question');
    const threadTs = message?.ts ?? '';
    await workspace.as('Grace Hopper').types(engineeringId, 'An answer', { threadTs });
    const replies = page.getByRole('button', { name: /1 reply/ });
    await replies.waitFor();
    await asSoonAs(
      page,
      '.thread-pane textarea',
      `found.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));`,
    );
    await replies.click();
    await untilThere(page);
    await page.getByRole('complementary').waitFor({ state: 'detached' });

    const composer = page.getByLabel('Message #engineering');
    await composer.waitFor();
    await page.evaluate(`(async () => {
      const field = document.querySelector('.composer textarea');
      const rendered = () => new Promise((resolve) => { queueMicrotask(() => queueMicrotask(resolve)); });
      const type = async (text) => {
        field.value = text;
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        await rendered();
      };
      const press = async (key) => {
        field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        await rendered();
      };
      await type('@');
      await press('ArrowDown');
      await press('ArrowDown');
      await type('@grac');
      await press('Enter');
    })()`);
    expect(await composer.inputValue()).toBe('@Grace Hopper ');
    await page.evaluate('window.isThere = false');
    await composer.fill('/try ');
    await page.keyboard.press('Enter');
    const modal = page.getByRole('dialog');
    await modal.getByRole('button', { name: 'Start run' }).waitFor();
    await asSoonAs(page, '[role=alert]', 'window.focused = document.activeElement.tagName;');
    await modal.getByRole('button', { name: 'Start run' }).click();
    await untilThere(page);
    expect(await page.evaluate('window.focused')).toBe('TEXTAREA');
  });

  it('sees nothing of the previous person', async () => {
    const { page } = await openPage({ at: engineering });
    await page.getByRole('link', { name: 'secret-project' }).waitFor();
    await page.getByRole('button', { name: 'Switch person' }).click();
    await page.evaluate(`{
      window.seen = '';
      const look = () => {
        const isSam = document.querySelector('.switcher')?.innerText.includes('Sam Guest');
        if (isSam) window.seen += document.body.innerText;
      };
      new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
    }`);
    await page.getByRole('menuitem', { name: /Sam Guest/ }).click();
    await page.getByRole('button', { name: 'Switch person' }).getByText('Guest').first().waitFor();
    expect(await page.evaluate('window.seen')).toContain('Sam Guest');
    expect(await page.evaluate('window.seen')).not.toContain('secret-project');
  });
});
