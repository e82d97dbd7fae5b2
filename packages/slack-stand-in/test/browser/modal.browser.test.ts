import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { engineering } from './support/engineering.ts';
import { registerLongForm } from './support/long-form.ts';
import { usePage } from './support/use-page.ts';

async function openModal(page: Page, prompt: string): Promise<Locator> {
  const composer = page.getByLabel('Message #engineering');
  await composer.fill(`/try ${prompt}`);
  await composer.press('Enter');
  const modal = page.getByRole('dialog', { name: 'Start an agent run' });
  await modal.waitFor();
  return modal;
}

const isFocused = (locator: Locator) => locator.evaluate((node) => node.matches(':focus'));

describe('a modal on the page', () => {
  const openPage = usePage();

  it('submits all kinds of inputs', async () => {
    const { page, workspace } = await openPage({ at: engineering });
    const modal = await openModal(page, 'All inputs');
    const select = async (label: string, choice: RegExp) => {
      await modal.getByLabel(label).click();
      await page.getByRole('option', { name: choice }).click();
    };
    await modal.getByLabel('Environment').click();
    await page.getByLabel('Search options').fill('stag');
    await page.getByRole('option', { name: 'staging' }).waitFor();
    await page.keyboard.press('Enter');
    await select('Model', /Thorough model 2/);
    await select('Post in', /general/);
    await modal.getByRole('group', { name: 'Skills' }).getByRole('button').click();
    await page.getByRole('option', { name: 'review' }).click();
    await page.getByRole('option', { name: 'docs' }).click();
    await page.keyboard.press('Escape');
    await modal.getByRole('group', { name: 'Tell' }).getByRole('button').click();
    await page.getByRole('option', { name: /Grace Hopper/ }).click();
    await page.keyboard.press('Escape');
    await modal.getByLabel('High').check();
    await modal.getByLabel('Copies').fill('3');
    await modal.getByLabel('Not before').fill('2026-12-24');
    await modal.getByLabel('Hour').fill('08:30');
    await modal.getByRole('button', { name: 'Start run' }).click();
    await modal.waitFor({ state: 'detached' });

    const sent = workspace.traffic.recent().findLast(({ name, request }) => {
      return name === 'interactive' && JSON.stringify(request).includes('view_submission');
    });
    const values = JSON.stringify(sent?.request);
    for (const expected of [
      '"value":"All inputs"',
      '"value":"staging"',
      '"value":"Thorough-2"',
      '"selected_conversation":"C04GENERAL1"',
      '"selected_users":["U04GRACEHOP"]',
      '"value":"high"',
      '"value":"3"',
      '"selected_date":"2026-12-24"',
      '"selected_time":"08:30"',
    ]) {
      expect(values).toContain(expected);
    }
    expect(values).toMatch(/"selected_options":\[\{[^\]]*"review"[^\]]*"docs"/);
  });

  it('checks required fields itself, keeps typed text and the focus, stacks, and closes with Escape', async () => {
    const { page, workspace } = await openPage({ at: engineering });
    const modal = await openModal(page, '');
    await modal.getByRole('button', { name: 'Start run' }).click();
    await modal.getByRole('alert').waitFor();
    const submissions = workspace.traffic
      .recent()
      .filter(({ request }) => JSON.stringify(request).includes('view_submission'));
    expect(submissions).toEqual([]);

    const prompt = modal.getByRole('textbox', { name: 'Prompt', exact: true });
    await prompt.fill('typed after');
    await modal.getByLabel('Show more options').check();
    await modal.getByLabel('Base prompt').waitFor();
    expect(await prompt.inputValue()).toBe('typed after');
    await modal.getByLabel('Show more options').uncheck();
    await modal.getByLabel('Base prompt').waitFor({ state: 'detached' });

    await modal.getByLabel('Model').click();
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    expect(await modal.isVisible()).toBe(true);
    expect(await isFocused(modal.getByLabel('Model'))).toBe(true);
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press('Tab');
      // After the last control, the focus may move to the browser's own controls, but never to the page behind.
      expect(await page.locator('.shell :focus').count()).toBe(0);
    }

    await modal.getByRole('button', { name: 'Look deeper' }).click();
    const deeper = page.getByRole('dialog', { name: 'Deeper' });
    await deeper.getByText('Second floor').waitFor();

    await page.keyboard.press('Escape');
    await deeper.waitFor({ state: 'detached' });
    expect(await prompt.inputValue()).toBe('typed after');
    await page.keyboard.press('Escape');
    await modal.waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(page.getByLabel('Message #engineering'))).toBe(true);
  });

  it('scrolls to the first field with an error and focuses it', async () => {
    const { page } = await openPage({
      at: engineering,
      register: registerLongForm,
      viewport: { width: 900, height: 480 },
    });
    const modal = await openModal(page, 'long');
    const submit = modal.getByRole('button', { name: 'Go' });
    const isShown = (name: string) =>
      modal.locator(`[data-block=${name}]`).evaluate((field) => {
        const around = field.closest('.modal-body')?.getBoundingClientRect();
        const { top, bottom } = field.getBoundingClientRect();
        return around !== undefined && top >= around.top && bottom <= around.bottom;
      });
    for (const [names, control] of [
      ['pick last', '[data-block=pick] .select-button'],
      ['ticks', '[data-block=ticks] input'],
      ['text-2 text-9', '[data-block=text-2] input'],
      ['last', '[data-block=last] textarea'],
      ['radio', '[data-block=radio] input'],
    ] as const) {
      await modal.getByLabel('Wrong').fill(names);
      const body = modal.locator('.modal-body');
      // Start from the other end, so that the field isn't visible by chance.
      await body.evaluate((node, top) => node.scrollTo(0, top), names === 'last' ? 0 : 5_000);
      await submit.click();
      const [first = ''] = names.split(' ');
      await modal.locator(`[data-block=${first}] .field-error`).waitFor();
      await expect.poll(() => isFocused(modal.locator(control).first())).toBe(true);
      expect([first, await isShown(first)]).toEqual([first, true]);
    }
  });
});
