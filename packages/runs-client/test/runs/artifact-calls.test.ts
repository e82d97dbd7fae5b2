import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createRunsClient } from '../../src/index.ts';

const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** Starts a service that responds with `listener`. Returns a client and the service's address. */
async function start(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createRunsClient({ baseUrl: `${origin}/api/v1`, apiKey: 'key-1', maxRetries: 0 });
  closings.push(client.close, async () => server.close().closeAllConnections());
  return { origin, client };
}

const limit = { maxBytes: 100 };

it('reads an artifact', async () => {
  const paths: (string | undefined)[] = [];
  const { client } = await start(({ url }, response) => {
    paths.push(url);
    const data = { content: '# Plan', size_bytes: 'odd' };
    response.end(JSON.stringify({ artifact_type: 'PLAN', artifact_uid: 'a/1', data }));
  });
  const artifact = await client.artifacts.get('a/1');
  expect(artifact.data).toEqual({ content: '# Plan', size_bytes: undefined });
  expect(paths).toEqual(['/api/v1/agent/artifacts/a%2F1']);
  await expect(client.artifacts.get('..')).rejects.toMatchObject({ code: 'invalid_request' });
});

it('downloads a file without sending the key', async () => {
  const { client, origin } = await start(({ headers }, response) => {
    response.setHeader('content-type', 'image/png').end(`key: ${headers.authorization}`);
  });
  const file = await client.artifacts.download(`${origin}/file?signature=1`, limit);
  expect(file).toEqual({ contentType: 'image/png', bytes: Buffer.from('key: undefined') });
});

it('rejects a file that is too large, gone, elsewhere without TLS, or behind a redirect', async () => {
  const { client, origin } = await start(({ url }, response) => {
    if (url === '/large') response.end(Buffer.alloc(101));
    else if (url === '/gone') response.writeHead(404).end();
    else response.writeHead(302, { location: '/large' }).end();
  });
  const code = (url: string) => client.artifacts.download(url, limit).catch((error) => error.code);
  expect(await code(`${origin}/large`)).toBe('bad_response');
  expect(await code(`${origin}/gone`)).toBe('not_found');
  expect(await code(`${origin}/moved`)).toBe('bad_response');
  expect(await code('http://example.com/file')).toBe('invalid_request');
  expect(await code('file:///etc/passwd')).toBe('invalid_request');
});

it('gives up a file that takes too long, and stops when the caller does', async () => {
  const { client, origin } = await start((_, response) => {
    response.writeHead(200).write('a');
  });
  const slow = client.artifacts.download(`${origin}/slow`, { ...limit, timeoutMs: 50 });
  await expect(slow).rejects.toMatchObject({ code: 'timeout', retryable: true });
  const stop = new AbortController();
  const stopped = client.artifacts.download(`${origin}/slow`, { ...limit, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(stopped).rejects.toThrow('enough');
});
