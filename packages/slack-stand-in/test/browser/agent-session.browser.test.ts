import { describe, expect, it } from 'vitest';
import { engineering, engineeringAsGrace, engineeringId } from './support/engineering.ts';
import { usePage } from './support/use-page.ts';

describe('agent sessions on the page', () => {
  const openPage = usePage();

  it('show what the app does in a thread, with Stop while it works', async () => {
    const { page, app, workspace } = await openPage({ at: engineering });
    const { ts } = await app.client.chat.postMessage({ channel: engineeringId, text: 'A run' });
    const thread = { channel_id: engineeringId, thread_ts: ts ?? '' };
    const set = (status: string) =>
      app.client.agents.sessions.setStatus({ ...thread, status, title: 'Count files' });
    app.event('agent_session_stopped', async () => void (await set('closed')));
    await set('processing');
    await page.goto(new URL(`${engineering}/${ts}`, page.url()).href);
    const session = page.getByRole('status', { name: 'Agent session' });
    await session.getByText('Working… · Count files').waitFor();
    await session.getByRole('button', { name: 'Stop' }).click();
    await session.getByText('Closed').waitFor();
    expect(await session.getByRole('button').count()).toBe(0);
    await set('suspended');
    await session.getByText('Waiting for a person').waitFor();
    await page.goto(new URL(`${engineeringAsGrace}/${ts}`, page.url()).href);
    await session.getByText('Waiting for a person').waitFor();
    expect(workspace.sessionStatus(engineeringId, ts ?? '')).toBe('suspended');
  });

  it('suggest prompts, which are sent with a click, next to the channel that the person came from', async () => {
    const { page, app, workspace } = await openPage({ at: engineering });
    const direct = workspace.as('ada').directChannelId;
    const asked: unknown[] = [];
    app.event('app_context_changed', async ({ event }) => void asked.push(event.context));
    app.message(async ({ message }) => void asked.push(message));
    await app.client.assistant.threads.setSuggestedPrompts({
      channel_id: direct,
      title: 'Start a run',
      prompts: [{ title: 'Count', message: 'count the files' }],
    });
    await page.getByLabel('Message #engineering').waitFor();
    await page.getByRole('link', { name: 'Test App' }).click();
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByText('you came from #engineering').waitFor();
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByRole('article').filter({ hasText: 'count the files' }).waitFor();
    await expect.poll(() => asked).toHaveLength(2);
    for (const each of asked) expect(JSON.stringify(each)).toContain(engineeringId);
    expect(await page.getByRole('button', { name: 'Count' }).count()).toBe(0);
  });
});
