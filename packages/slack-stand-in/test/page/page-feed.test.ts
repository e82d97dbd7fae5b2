import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { FeedFrame } from '../../src/page-server/page-protocol.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const { startWorkspace, onCleanUp } = useWorkspace();

async function start() {
  const workspace = await startWorkspace();
  const html = await (await fetch(workspace.url)).text();
  const token = /data-token="([^"]+)"/.exec(html)?.[1] ?? '';
  /** Opens the page as this person. Returns the received frames, and a function that waits for more. */
  const follow = async (person: string) => {
    const socket = new WebSocket(`${workspace.url.replace('http', 'ws')}/page/feed`);
    onCleanUp(async () => socket.terminate());
    const frames: FeedFrame[] = [];
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    await once(socket, 'open');
    const next = once(socket, 'message');
    socket.send(JSON.stringify({ token, person }));
    await next;
    return { socket, frames, next: () => once(socket, 'message') };
  };
  return { workspace, token, follow };
}

const keysOf = (frame: FeedFrame | undefined) => frame?.set.map(([key]) => key) ?? [];

describe('the feed of the page', () => {
  it('starts with everything that the person can see, and nothing else', async () => {
    const { follow } = await start();
    const ada = keysOf((await follow('U04ADALOVEL')).frames[0]);
    expect(ada).toContain('team');
    expect(ada).toContain('channel/C04SECRETS1');
    expect(ada.some((key) => key.startsWith('message/C04ALERTS01/'))).toBe(true);
    const sam = keysOf((await follow('U04GUESTSAM')).frames[0]);
    expect(sam.filter((key) => key.startsWith('channel/C'))).toEqual(['channel/C04ENGINEER']);
    expect(sam.some((key) => key.startsWith('message/C04ALERTS01/'))).toBe(false);
  });

  it('sends only changes, several at a time', async () => {
    const { workspace, follow } = await start();
    const { frames, next } = await follow('U04ADALOVEL');
    const changed = next();
    const grace = workspace.as('grace');
    const { message } = await grace.types('C04GENERAL1', 'one');
    await grace.types('C04GENERAL1', 'two');
    await changed;
    const keys = frames.slice(1).flatMap(keysOf);
    expect(keys.filter((key) => key.startsWith('message/')).length).toBe(2);
    expect(keys).not.toContain('team');

    const gone = next();
    await grace.deletes('C04GENERAL1', message?.ts ?? '');
    await gone;
    expect(frames.at(-1)?.removed).toEqual([`message/C04GENERAL1/${message?.ts}`]);
  });

  it('keeps the channel and the first message of a thread with hundreds of replies', async () => {
    const { workspace, follow } = await start();
    const [ada, channel] = [workspace.as('ada'), 'C04GENERAL1'];
    const { message: before } = await ada.types(channel, 'before the thread');
    const { message: first } = await ada.types(channel, 'a long story');
    const threadTs = first?.ts ?? '';
    for (let count = 0; count < 310; count += 1) await ada.types(channel, 'and', { threadTs });
    const shown = keysOf((await follow('U04ADALOVEL')).frames[0]);
    expect(shown).toContain(`message/${channel}/${before?.ts}`);
    expect(shown).toContain(`message/${channel}/${threadTs}`);
    expect(shown.filter((key) => key.startsWith(`message/${channel}/`))).toHaveLength(302);
  });

  it('sends a private channel only to its members', async () => {
    const { workspace, follow } = await start();
    const { frames, next } = await follow('U04ALANTURI');
    await workspace.as('grace').types('C04SECRETS1', 'secret');
    const changed = next();
    await workspace.as('grace').types('C04GENERAL1', 'public');
    await changed;
    // Ignore the inspector's entries, because everyone sees all traffic.
    const shown = frames.flatMap(({ set }) => set).filter(([key]) => !key.startsWith('traffic/'));
    expect(JSON.stringify(shown)).not.toContain('C04SECRETS1');
  });

  it.each([
    ['a wrong token', 4401, (token: string) => ({ token: `${token}x`, person: 'U04ADALOVEL' })],
    ['an unknown person', 4404, (token: string) => ({ token, person: 'U0' })],
    ['something else', 4401, () => 'hello'],
  ])('rejects %s with %i', async (_, code, hello) => {
    const { workspace, token } = await start();
    const socket = new WebSocket(`${workspace.url.replace('http', 'ws')}/page/feed`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    socket.send(JSON.stringify(hello(token)));
    expect((await closed)[0]).toBe(code);
  });

  it('ends with the workspace', async () => {
    const { workspace, follow } = await start();
    const { socket } = await follow('U04ADALOVEL');
    const closed = once(socket, 'close');
    await workspace.stop();
    await closed;
  });
});
