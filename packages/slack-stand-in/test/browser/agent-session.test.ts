import { describe, expect, it } from 'vitest';
import { hasChromium, whySkipped } from './support/chromium.ts';
import { engineering, engineeringAsGrace, engineeringId } from './support/engineering.ts';
import { usePage } from './support/use-page.ts';

const name = `agent sessions on the page${hasChromium ? '' : ` (${whySkipped})`}`;

describe.skipIf(!hasChromium)(name, () => {
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
});
