import { describe, expect, it } from 'vitest';
import { engineering, engineeringAsGrace, engineeringId } from './support/engineering.ts';
import { runCard } from './support/sample-app.ts';
import { usePage } from './support/use-page.ts';

describe('messages on the page', () => {
  const openPage = usePage();

  it("have reactions and the app's shortcut, which gets their text; authors can edit them", async () => {
    const { page, workspace } = await openPage({ at: engineering });
    await workspace.as('Grace Hopper').types(engineeringId, 'The login is broken');
    const message = page.getByRole('article').filter({ hasText: 'The login is broken' });
    await message.hover();
    await message.getByRole('button', { name: 'Add reaction' }).click();
    await page.getByRole('menuitem', { name: /tada/ }).click();
    const reaction = message.getByRole('button', { name: /tada/, pressed: true });
    await reaction.click();
    await reaction.waitFor({ state: 'detached' });
    await message.hover();
    await message.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /On message/ }).click();
    const modal = page.getByRole('dialog', { name: 'Start an agent run' });
    await expect.poll(() => modal.getByLabel('Prompt').inputValue()).toBe('The login is broken');
    await page.keyboard.press('Escape');
    await modal.waitFor({ state: 'detached' });

    await workspace.as('ada').types(engineeringId, 'Ask @Grace Hopper <now>');
    const mine = page.getByRole('article').filter({ hasText: 'Ask' });
    await mine.hover();
    await mine.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit message' }).click();
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    expect(await editor.inputValue()).toBe('Ask @Grace Hopper <now>');
    await editor.fill('Ask @Grace Hopper <later>');
    await editor.press('Enter');
    await mine.getByText('<later>').waitFor();
    await mine.getByText('(edited)').waitFor();
    expect(workspace.messagesIn(engineeringId).at(-1)?.text).toBe(
      'Ask <@U04GRACEHOP> &lt;later&gt;',
    );
  });

  it('ask before a dangerous button, and show the answer to a click only to who clicked', async () => {
    const { page, app } = await openPage({ at: engineering });
    const card = runCard('Long work', 'U04ADALOVEL', 'Running');
    await app.client.chat.postMessage({ channel: engineeringId, ...card });
    const message = page.getByRole('article').filter({ hasText: 'Long work' });
    await message.getByRole('button', { name: 'Cancel' }).click();
    const question = page.getByRole('dialog', { name: 'Cancel this run?' });
    await question.getByRole('button', { name: 'Keep going' }).click();
    await question.waitFor({ state: 'detached' });
    await message.getByText('Running').waitFor();

    await message.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Cancel run' }).click();
    const changed = page.getByRole('article').filter({ hasText: 'Cancelled' });
    await changed.getByText('(edited)').waitFor();
    expect(await changed.getByRole('button', { name: 'Cancel' }).count()).toBe(0);

    const other = runCard('Secret work', 'U04ADALOVEL', 'Running');
    await app.client.chat.postMessage({ channel: engineeringId, ...other });
    const shown = page.getByRole('article').filter({ hasText: 'Only you can read this.' });
    await page.getByRole('button', { name: 'Details' }).click();
    await shown.getByText('Only visible to you').waitFor();
    await page.goto(new URL(engineeringAsGrace, page.url()).href);
    await page.getByRole('article').filter({ hasText: 'Secret work' }).waitFor();
    expect(await shown.count()).toBe(0);
  });

  it('show a plan that stays open while it is updated', async () => {
    const { page, app } = await openPage({ at: engineering });
    const planOf = (title: string, first: 'in_progress' | 'complete') => ({
      text: title,
      blocks: [
        {
          type: 'plan' as const,
          block_id: 'plan',
          title,
          tasks: [
            { task_id: '1', title: 'Find <b>the</b> bug', status: first },
            { task_id: '2', title: 'Fix it', status: 'pending' },
          ],
        },
      ],
    });
    const place = { channel: engineeringId };
    const { ts = '' } = await app.client.chat.postMessage({
      ...place,
      ...planOf('Step 1 of 2', 'in_progress'),
    });
    const step = page.getByText('Find <b>the</b> bug');
    await page.getByText('Step 1 of 2').waitFor();
    expect(await step.isVisible()).toBe(false);
    await page.getByText('Step 1 of 2').click();
    await page.getByRole('img', { name: 'In progress' }).waitFor();
    await app.client.chat.update({ ...place, ts, ...planOf('Step 2 of 2', 'complete') });
    await page.getByText('Step 2 of 2').waitFor();
    await page.getByRole('img', { name: 'Complete' }).waitFor();
    expect(await step.isVisible()).toBe(true);
  });

  it('mention the app and get an answer in a thread, and a reaction', async () => {
    const { page } = await openPage({ at: engineering });
    const composer = page.getByLabel('Message #engineering');
    await composer.fill('Hey @tes');
    await page.getByRole('option', { name: '@test-app' }).waitFor();
    await composer.press('Enter');
    await composer.pressSequentially('look at this');
    await composer.press('Enter');
    await page.getByRole('button', { name: /1 reply/ }).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText(/You said:/).waitFor();
    await thread.getByLabel('Reply…').fill('Thanks');
    await thread.getByLabel('Reply…').press('Enter');
    await thread.getByText('Thanks').waitFor();
    await page.getByRole('button', { name: /2 replies/ }).waitFor();
    await page.keyboard.press('Escape');
    await thread.waitFor({ state: 'detached' });
  });
});
