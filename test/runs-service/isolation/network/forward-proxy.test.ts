import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { openForwardProxy } from '../../../../src/runs-service/isolation/network/forward-proxy.ts';

/** A proxy that only knows x.test, and a server there that says the host and path it was asked for. */
async function start() {
  const server = createServer(({ headers, url }, response) =>
    response.end(`${headers.host}${url}`),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked: string[] = [];
  const proxy = await openForwardProxy(async (host) => {
    asked.push(host);
    if (host === 'broken.test') throw new Error('getaddrinfo ENOTFOUND');
    return host === 'x.test' ? { address: '127.0.0.1' } : { refusal: `no ${host}` };
  });
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  const socketPath = join(proxy.folder, 'socket');
  const { port } = server.address() as AddressInfo;
  const get = async (path: string) => {
    const sent = request({ socketPath, path, headers: { host: 'other.test' } }).end();
    const [response] = await once(sent, 'response');
    return `${response.statusCode} ${(await text(response)).trim()}`;
  };
  const tunnel = async (path: string) => {
    const sent = request({ socketPath, method: 'CONNECT', path }).end();
    const [response, socket] = (await once(sent, 'connect')) as [{ statusCode: number }, Socket];
    return { status: response.statusCode, socket };
  };
  return { asked, port, get, tunnel };
}

it('passes on HTTP requests to the host of their address, not of their header', async () => {
  const { get, port } = await start();
  expect(await get(`http://x.test:${port}/a?b`)).toBe(`200 x.test:${port}/a?b`);
});

it('refuses other hosts, hosts without an address and requests without a host', async () => {
  const { get } = await start();
  expect(await get('http://y.test/')).toBe('403 no y.test');
  expect(await get('http://broken.test/')).toContain('403 getaddrinfo');
  expect(await get('/')).toContain('400');
  expect(await get('ftp://x.test/')).toContain('400');
});

it('opens tunnels to allowed hosts only', async () => {
  const { tunnel, port, asked } = await start();
  const { status, socket } = await tunnel(`x.test:${port}`);
  expect(status).toBe(200);
  socket.write('GET /through HTTP/1.0\r\nhost: x.test\r\n\r\n');
  expect(await text(socket)).toContain('x.test/through');
  const refused = await tunnel('[::1]:443');
  expect(refused.status).toBe(403);
  refused.socket.destroy();
  expect(asked).toEqual(['x.test', '::1']);
});
