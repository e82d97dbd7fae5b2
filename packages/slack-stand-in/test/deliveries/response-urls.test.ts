import { describe, expect, it } from 'vitest';
import type { LocalWorkspace } from '../../src/index.ts';
import { callOk } from '../support/call-api.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const channel = 'C04ENGINEER';
const button = { type: 'button', action_id: 'press', text: { type: 'plain_text', text: 'Press' } };
const blocks = [{ type: 'actions', elements: [button] }];

/** Returns the `response_url` of the last delivery. */
function lastAddress(workspace: LocalWorkspace): string {
  const request = workspace.traffic.recent().findLast(({ direction }) => direction === 'delivery');
  return String(Object(request?.request).response_url);
}

async function respond(url: string, body: object): Promise<[number, string]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return [response.status, await response.text()];
}

describe('a response_url', () => {
  const { startWorkspace } = useWorkspace();

  async function startWithClick() {
    const workspace = await startWorkspace({ retryDelaysMs: [] });
    const { ts } = await callOk(workspace, 'chat.postMessage', { channel, text: 'x', blocks });
    const ada = workspace.as('ada');
    await ada.clicks({ channelId: channel, messageTs: String(ts) }, 'press');
    return { workspace, ada, url: lastAddress(workspace) };
  }

  it('of a command posts for one person by default, five times', async () => {
    const workspace = await startWorkspace();
    const ada = workspace.as('ada');
    await ada.types(channel, '/try');
    const url = lastAddress(workspace);
    expect(await respond(url, { text: 'for you' })).toEqual([200, 'ok']);
    await respond(url, { text: 'for all', response_type: 'in_channel' });
    const seen = workspace.as('grace').sees(channel);
    expect(seen.map(({ text }) => text)).toEqual(['for all']);
    expect(ada.sees(channel).map(({ text }) => text)).toEqual(['for you', 'for all']);
    for (let use = 0; use < 3; use++) await respond(url, { text: 'again' });
    expect(await respond(url, { text: 'too often' })).toEqual([
      404,
      '{"ok":false,"error":"used_url"}',
    ]);
  });

  it('of a click replaces, deletes or keeps the message', async () => {
    const { workspace, ada, url } = await startWithClick();
    await respond(url, { text: 'next to it', replace_original: false, response_type: 'ephemeral' });
    expect(ada.sees(channel).map(({ text }) => text)).toEqual(['x', 'next to it']);
    await respond(url, { text: 'instead', replace_original: true });
    const [replaced] = workspace.messagesIn(channel);
    expect(replaced).toMatchObject({ text: 'instead' });
    expect(replaced?.blocks).toBeUndefined();
    await respond(url, { delete_original: true });
    expect(workspace.messagesIn(channel).map(({ text }) => text)).toEqual(['next to it']);
  });

  it('rejects wrong blocks without counting the use', async () => {
    const { url } = await startWithClick();
    const [status, text] = await respond(url, { blocks: [{ type: 'nothing' }] });
    expect(status).toBe(400);
    expect(text).toContain('invalid_blocks');
    expect(await respond(`${url}x`, { text: 'x' })).toEqual([
      404,
      '{"ok":false,"error":"invalid_url"}',
    ]);
  });
});
