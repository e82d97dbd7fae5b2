import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { aRun, sendJson, startApiServer } from '../support/api-server.ts';

/** Starts an HTTP proxy that records the requested hosts. */
async function startProxy() {
  const asked: string[] = [];
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(400).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const each of [socket, upstream]) sockets.add(each.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const startApi = () => startApiServer((response) => sendJson(response, 200, aRun()));

it('calls and downloads go through the proxy, unless the host is an exception', async () => {
  const [api, proxy] = [await startApi(), await startProxy()];
  const { host, hostname, origin } = new URL(api.baseUrl);
  const proxied = api.client({ proxies: { httpProxy: proxy.address } });
  expect((await proxied.runs.get('r')).run_id).toBe('run-1');
  expect(proxy.asked).toEqual([host]);
  await proxied.artifacts.download(`${origin}/file`, { maxBytes: 1_000 });
  expect(new Set(proxy.asked)).toEqual(new Set([host]));
  const before = proxy.asked.length;
  const noProxy = `example.com,${hostname}`;
  const direct = api.client({ proxies: { httpProxy: proxy.address, noProxy } });
  await direct.runs.get('r');
  expect(proxy.asked).toHaveLength(before);
  expect(api.received).toHaveLength(3);
});

it('the environment of the process is not used', async () => {
  const api = await startApi();
  const before = process.env['http_proxy'];
  process.env['http_proxy'] = 'http://127.0.0.1:1';
  onTestFinished(() => {
    if (before === undefined) delete process.env['http_proxy'];
    else process.env['http_proxy'] = before;
  });
  const other = { httpsProxy: 'http://127.0.0.1:1' };
  await api.client().runs.get('r');
  await api.client({ proxies: { ...other, noProxy: '*' } }).runs.get('r');
  expect(api.received).toHaveLength(2);
});

it.each([
  ['that is down', 'http://127.0.0.1:1', { code: 'connection', sent: false, retryable: true }],
  ['that is no URL', 'proxy:x:y', { code: 'invalid_request', sent: false, retryable: false }],
])('a proxy %s is a typed error', async (_, httpProxy, error) => {
  const api = await startApi();
  const client = api.client({ proxies: { httpProxy }, maxRetries: 0 });
  await expect(client.runs.get('r')).rejects.toMatchObject(error);
  expect(api.received).toEqual([]);
});
