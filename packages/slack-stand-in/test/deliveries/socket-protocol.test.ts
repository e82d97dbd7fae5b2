import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { LocalWorkspace } from '../../src/index.ts';
import { callApi, callOk } from '../support/call-api.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const engineering = 'C04ENGINEER';
type Frame = { type: string; envelope_id?: string } & Record<string, unknown>;

describe('the Socket Mode protocol', () => {
  const { startWorkspace, onCleanUp } = useWorkspace();

  /** Connects without a library. Records frames and acknowledges them with `answer`. */
  async function connect(
    workspace: LocalWorkspace,
    answer: (frame: Frame) => object | undefined = () => ({}),
  ) {
    const { url } = await callOk(workspace, 'apps.connections.open', {}, workspace.appToken);
    const socket = new WebSocket(String(url));
    const frames: Frame[] = [];
    const listeners = new Set<() => void>();
    const changed = () => {
      for (const listener of [...listeners]) listener();
    };
    let isClosed = false;
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame;
      frames.push(frame);
      const payload = frame.envelope_id && answer(frame);
      if (payload) socket.send(JSON.stringify({ envelope_id: frame.envelope_id, payload }));
      changed();
    });
    socket.on('close', () => {
      isClosed = true;
      changed();
    });
    const until = (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!condition()) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      });
    onCleanUp(async () => socket.terminate());
    await until(() => frames.some(({ type }) => type === 'hello'));
    return { frames, until, isClosed: () => isClosed, socket, url: String(url) };
  }

  it('sends hello with the number of connections', async () => {
    const workspace = await startWorkspace();
    await connect(workspace);
    const { frames } = await connect(workspace);
    expect(frames[0]).toMatchObject({
      type: 'hello',
      num_connections: 2,
      debug_info: { approximate_connection_time: 18_060 },
      connection_info: { app_id: workspace.bot.appId },
    });
  });

  it('returns tickets only for the app token, and each works once', async () => {
    const workspace = await startWorkspace();
    expect(await callApi(workspace, 'apps.connections.open')).toMatchObject({
      ok: false,
      error: 'not_allowed_token_type',
    });
    const { url } = await connect(workspace);
    const second = new WebSocket(url);
    const code = await new Promise((resolve) => second.once('close', resolve));
    expect(code).toBe(1008);
  });

  it('sends each envelope to one connection, and reads the answer from its acknowledgement', async () => {
    const workspace = await startWorkspace();
    const clients = [
      await connect(workspace, () => ({ text: 'hi' })),
      await connect(workspace, () => ({ text: 'hi' })),
    ];
    const ada = workspace.as('ada');
    await ada.types(engineering, '/try one');
    await ada.types(engineering, '/try two');
    const envelopes = clients.map(({ frames }) => frames.filter((each) => each.envelope_id));
    expect(envelopes.map((each) => each.length)).toEqual([1, 1]);
    expect(envelopes[0]?.[0]).toMatchObject({
      type: 'slash_commands',
      accepts_response_payload: true,
    });
    expect(ada.sees(engineering).filter(({ text }) => text === 'hi')).toHaveLength(2);
  });

  it('shows the error of an answer that Slack would reject', async () => {
    const workspace = await startWorkspace();
    await connect(workspace, () => ({ blocks: [{ type: 'nothing' }] }));
    const { outcome } = await workspace.as('ada').types(engineering, '/try');
    expect(outcome).toEqual({ acked: false, error: 'invalid_blocks' });
    expect(workspace.messagesIn(engineering)).toEqual([]);
  });

  it('retries an event without an acknowledgement or a connection', async () => {
    const workspace = await startWorkspace({ retryDelaysMs: Array(100).fill(50) });
    const ada = workspace.as('ada');
    await ada.opensHome();
    const { frames, until } = await connect(workspace);
    await until(() => frames.some(({ type }) => type === 'events_api'));
    const envelope = frames.find(({ type }) => type === 'events_api');
    expect(envelope).toMatchObject({
      accepts_response_payload: false,
      retry_reason: 'connection_failed',
    });
    expect(envelope?.['retry_attempt']).toBeGreaterThan(0);
  });

  it('announces a disconnect, then uses other connections, and closes after the grace time', async () => {
    const workspace = await startWorkspace();
    const leaving = await connect(workspace);
    await workspace.faults.inject({ name: 'disconnect', reason: 'warning', graceMs: 200 });
    await leaving.until(() => leaving.frames.some(({ type }) => type === 'disconnect'));
    expect(leaving.frames.at(-1)).toMatchObject({ type: 'disconnect', reason: 'warning' });
    const staying = await connect(workspace);
    await workspace.as('ada').types(engineering, '/try');
    await workspace.as('ada').types(engineering, '/try');
    expect(staying.frames.filter((each) => each.envelope_id)).toHaveLength(2);
    await leaving.until(leaving.isClosed);
    expect(staying.isClosed()).toBe(false);
  });

  it('sends an envelope twice on request', async () => {
    const workspace = await startWorkspace();
    const { frames, until } = await connect(workspace);
    await workspace.faults.inject({ name: 'delivered_twice', kind: 'slash_commands' });
    await workspace.as('ada').types(engineering, '/try');
    await until(() => frames.filter((each) => each.envelope_id).length === 2);
    const ids = frames.flatMap((each) => each.envelope_id ?? []);
    expect(new Set(ids).size).toBe(1);
  });

  it('survives an address that is none, which any web page can send', async () => {
    const workspace = await startWorkspace();
    const socket = connectTo({ port: Number(new URL(workspace.url).port), host: '127.0.0.1' });
    const closed = once(socket, 'close');
    socket
      .resume()
      .write(
        'GET // HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      );
    await closed;
    await connect(workspace);
  });

  it('rejects an eleventh connection', async () => {
    const workspace = await startWorkspace();
    for (let each = 0; each < 10; each++) await connect(workspace);
    const { url } = await callOk(workspace, 'apps.connections.open', {}, workspace.appToken);
    const socket = new WebSocket(String(url));
    const frame = await new Promise((resolve) =>
      socket.once('message', (data) => resolve(String(data))),
    );
    expect(JSON.parse(String(frame))).toMatchObject({ reason: 'too_many_websockets' });
    socket.terminate();
  });
});
