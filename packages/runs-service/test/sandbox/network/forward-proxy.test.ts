import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { type FindAddress, openForwardProxy } from '../../../src/sandbox/network/forward-proxy.ts';

const ignored = () => undefined;

/** Starts a proxy that only knows x.test, and a server there that answers with the requested host and path. */
async function start() {
  const server = createServer(({ headers, url }, response) =>
    response.end(`${headers.host}${url}`),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked: string[] = [];
  const unreached: string[] = [];
  const find: FindAddress = async ({ host, port }) => {
    asked.push(`${host} ${port}`);
    if (host === 'broken.test') throw new Error('getaddrinfo ENOTFOUND');
    return host === 'x.test' ? { address: '127.0.0.1' } : { denial: "isn't listed" };
  };
  const proxy = await openForwardProxy(find, ({ address, why }) =>
    unreached.push(`${address} ${why}`),
  );
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
  return { asked, unreached, port, get, tunnel };
}

it('passes on HTTP requests to the host of their address, not of their header', async () => {
  const { get, port } = await start();
  expect(await get(`http://x.test:${port}/a?b`)).toBe(`200 x.test:${port}/a?b`);
});

it('rejects other hosts, hosts without an address and requests without a host', async () => {
  const { get, unreached } = await start();
  expect(await get('http://y.test/')).toBe("403 y.test:80 isn't listed");
  const broken = "broken.test:80 can't be found (getaddrinfo ENOTFOUND)";
  expect(await get('http://broken.test/')).toBe(`403 ${broken}`);
  expect(unreached).toEqual(["y.test:80 isn't listed", broken]);
  expect(await get('/')).toContain('400');
  expect(await get('ftp://x.test/')).toContain('400');
});

it('opens tunnels to allowed hosts only', async () => {
  const { tunnel, port, asked } = await start();
  const { status, socket } = await tunnel(`x.test:${port}`);
  expect(status).toBe(200);
  socket.write('GET /through HTTP/1.0\r\nhost: x.test\r\n\r\n');
  expect(await text(socket)).toContain('x.test/through');
  const rejected = await tunnel('[::1]:443');
  expect(rejected.status).toBe(403);
  rejected.socket.destroy();
  expect(asked).toEqual([`x.test ${port}`, '::1 443']);
});

it('says which addresses did not answer', async () => {
  const { get, tunnel, unreached } = await start();
  const closed = createNetServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  const silent = `x.test:${port} doesn't answer (connect ECONNREFUSED 127.0.0.1:${port})`;
  expect(await get(`http://x.test:${port}/`)).toBe(`502 ${silent}`);
  const { status, socket } = await tunnel(`x.test:${port}`);
  expect(status).toBe(502);
  socket.destroy();
  expect(unreached).toEqual([silent, silent]);
});

/** Starts a proxy in front of a server that answers each request with these bytes. */
async function startRaw(answer: string) {
  const server = createNetServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await openForwardProxy(async () => ({ address: '127.0.0.1' }), ignored);
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async (more = '') => {
    const socket = connect(join(proxy.folder, 'socket'));
    socket.write(
      `GET http://x.test:${port}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${more}\r\n`,
    );
    return text(socket);
  };
}

const fine = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi';

it.each([
  ['a request that announces trailers', fine, 'trailer: x\r\n', 200],
  [
    'an answer that announces trailers',
    'HTTP/1.1 200 OK\r\ntrailer: x\r\ncontent-length: 2\r\n\r\nhi',
    '',
    200,
  ],
  ['an answer with the status 0', 'HTTP/1.1 000 No\r\ncontent-length: 2\r\n\r\nhi', '', 502],
])('%s does not end the service', async (_name, answer, more, status) => {
  const get = await startRaw(answer);
  expect(await get(more)).toContain(`HTTP/1.1 ${status} `);
  expect(await get(more)).toContain(`HTTP/1.1 ${status} `);
});

it('takes a thousand connections at most, so that an agent leaves files to the service', async () => {
  const proxy = await openForwardProxy(async () => ({ denial: 'no' }), ignored);
  onTestFinished(() => proxy.close());
  const sockets: Socket[] = [];
  for (let count = 0; count < 1_000; count += 1) {
    const socket = connect(join(proxy.folder, 'socket'));
    await once(socket, 'connect');
    sockets.push(socket);
  }
  const rejected = connect(join(proxy.folder, 'socket'));
  await once(rejected, 'close');
  sockets[0]?.write('GET / HTTP/1.0\r\n\r\n');
  expect(await text(sockets[0] as Socket)).toContain('400');
  for (const socket of sockets) socket.destroy();
});

it('opens nothing for who left while the address was looked up', async () => {
  let connections = 0;
  const server = createNetServer((socket) => {
    connections += 1;
    socket.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lookups = new EventEmitter();
  const proxy = await openForwardProxy(async () => {
    lookups.emit('asked');
    await once(lookups, 'answered');
    return { address: '127.0.0.1' };
  }, ignored);
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = async () => {
    const asked = once(lookups, 'asked');
    const socket = connect(join(proxy.folder, 'socket'));
    socket.write(`GET http://x.test:${port}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    await asked;
    return socket;
  };
  (await ask()).destroy();
  const other = await ask();
  lookups.emit('answered');
  expect(await text(other)).toContain('502');
  expect(connections).toBe(1);
});
