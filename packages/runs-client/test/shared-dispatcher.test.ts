import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createRunsClient } from '../src/index.ts';
import { createSharedDispatcher, isPublicAddress } from '../src/shared-dispatcher.ts';

it.each([...['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111']])(
  '%s is on the public internet',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

it.each([
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
  ...['100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.2.1'],
  ...[
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
  ],
  ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '2001:0:1::1', 'localhost', ''],
])('%s is not', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

/** Starts a service on this machine. */
async function start(canBePrivate: (hostname: string) => boolean) {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end('{"runs":[],"page_info":{"has_next_page":false}}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const dispatcher = createSharedDispatcher(canBePrivate);
  onTestFinished(() => dispatcher.destroy());
  const { port } = server.address() as AddressInfo;
  const listAt = (host: string) =>
    createRunsClient({
      baseUrl: `http://${host}:${port}/api/v1`,
      apiKey: 'key',
      dispatcher,
      allowHttp: true,
      maxRetries: 0,
    }).runs.list({ limit: 1 });
  return { listAt, asked: () => asked };
}

// The URL standard reads these notations as this machine's address.
it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '0'])(
  'never connects to %s, which is this machine',
  async (host) => {
    const { listAt, asked } = await start(() => false);
    await expect(listAt(host)).rejects.toMatchObject({ code: 'connection', sent: false });
    expect(asked()).toBe(0);
  },
);

it('connects to a private host that it may connect to', async () => {
  const { listAt, asked } = await start((hostname) => hostname === 'localhost');
  expect((await listAt('localhost')).runs).toEqual([]);
  await expect(listAt('127.0.0.1')).rejects.toMatchObject({ sent: false });
  expect(asked()).toBe(1);
});

it("downloads no file from this machine, whatever a service says it's at", async () => {
  const { asked } = await start(() => false);
  const dispatcher = createSharedDispatcher(() => false);
  onTestFinished(() => dispatcher.destroy());
  const { artifacts } = createRunsClient({
    baseUrl: 'https://runs.example/api/v1',
    apiKey: 'key',
    dispatcher,
  });
  const download = artifacts.download('https://169.254.169.254/latest', { maxBytes: 10 });
  await expect(download).rejects.toMatchObject({ code: 'connection' });
  expect(asked()).toBe(0);
});
