import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { listenForRun } from '../../src/gateway/listen-for-run.ts';

async function start(listenOn: 'socket' | 'port') {
  const listener = await listenForRun((incoming, response) => response.end(incoming.url), listenOn);
  onTestFinished(listener.close);
  const { address } = listener;
  const target =
    'folder' in address
      ? { path: join(address.folder, 'socket') }
      : { port: address.port, host: '127.0.0.1' };
  return { ...listener, target };
}

it.each(['socket', 'port'] as const)('answers on a %s', async (listenOn) => {
  const { address, target } = await start(listenOn);
  const where = 'path' in target ? { socketPath: target.path } : target;
  const sent = request({ ...where, path: '/x' }).end();
  const [response] = await once(sent, 'response');
  expect(await text(response)).toBe('/x');
  expect(Object.keys(address)).toEqual([listenOn === 'socket' ? 'folder' : 'port']);
});

it('rejects an upgrade and a tunnel, and closes the connection', async () => {
  const { target } = await start('socket');
  for (const head of [
    'GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n',
  ]) {
    const socket = connect(target);
    socket.write(head);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 426 /);
  }
});

it('accepts 64 connections, closes the others, and removes its folder at the end', async () => {
  const { address, target, close } = await start('socket');
  const sockets = Array.from({ length: 1_000 }, () => connect(target));
  let closed = 0;
  for (const socket of sockets) {
    socket.resume().on('error', () => undefined);
    socket.on('close', () => {
      closed += 1;
    });
  }
  await expect.poll(() => closed, { timeout: 10_000 }).toBe(1_000 - 64);
  await close();
  await expect.poll(() => closed).toBe(1_000);
  expect(existsSync('folder' in address ? address.folder : '')).toBe(false);
});
