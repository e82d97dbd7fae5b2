import { describe, expect, it } from 'vitest';
import { engineering, engineeringId } from './support/engineering.ts';
import { usePage } from './support/use-page.ts';

describe('the live connection', () => {
  const openPage = usePage();

  it('shows that it is lost, reconnects automatically and catches up', async () => {
    const { page, workspace } = await openPage();
    const sockets: (() => void)[] = [];
    let canConnect = Promise.resolve();
    await page.routeWebSocket(/page\/feed/, async (socket) => {
      await canConnect;
      const server = socket.connectToServer();
      sockets.push(() => {
        void server.close();
        void socket.close();
      });
    });
    await page.goto(`${workspace.url}/${engineering}`);
    await page.reload();
    await page.getByLabel('Message #engineering').waitFor();
    let connect = () => {};
    canConnect = new Promise((resolve) => {
      connect = resolve;
    });
    for (const cut of sockets) cut();
    await page.getByText('Connection lost').waitFor();
    await workspace.as('Grace Hopper').types(engineeringId, 'Said meanwhile');
    connect();
    await page.getByText('Said meanwhile').waitFor();
    await expect.poll(() => page.getByText('Connection lost').count()).toBe(0);
  });

  it('reconnects to a restarted workspace', async () => {
    const expected = /WebSocket connection|ERR_CONNECTION_REFUSED/;
    const { page, workspace, startAgain } = await openPage({ at: engineering, expected });
    await page.getByLabel('Message #engineering').waitFor();
    await workspace.stop();
    await page.getByText('Connection lost').waitFor();
    const again = await startAgain();
    await again.as('Grace Hopper').types(engineeringId, 'Back again');
    await page.getByText('Back again').waitFor();
  });

  it('opens permalinks in their thread, and shows the traffic with its JSON', async () => {
    const { page, workspace } = await openPage({ at: engineering });
    const { message } = await workspace.as('Grace Hopper').types(engineeringId, 'Remember this');
    const path = `/archives/${engineeringId}/p${message?.ts.replace('.', '')}`;
    await page.goto(workspace.url + path);
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('Remember this').waitFor();
    await page.getByLabel('Message #engineering').fill('/try traffic');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Traffic' }).click();
    const traffic = page.getByRole('region', { name: 'Traffic' });
    await traffic.getByRole('button', { name: /views\.open ok/ }).click();
    await traffic.getByText('"callback_id": "everything"').first().waitFor();
    await traffic.getByLabel('Filter traffic').fill('/try');
    await expect.poll(() => traffic.locator('.traffic-line').count()).toBe(1);
  });
});
