import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createS3Store } from '../../src/artifacts/s3-store.ts';
import { startS3Server } from '../support/network/s3-server.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

const { signal } = new AbortController();

/** Creates a file with the name of its content. Its folder is deleted after the test. */
function aContent(bytes = randomBytes(3_000_000)) {
  const name = createHash('sha256').update(bytes).digest('hex');
  const file = join(temporaryFolder(), 'content');
  writeFileSync(file, bytes);
  return { name, file, bytes };
}

async function readAll(chunks: AsyncIterable<Buffer> | undefined): Promise<Buffer | undefined> {
  if (!chunks) return undefined;
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

describe('a store in S3', () => {
  it('keeps contents below its prefix, and takes over the local file', async () => {
    const server = await startS3Server();
    const store = createS3Store(server.place);
    const { name, file, bytes } = aContent();
    await store.put(name, file, signal);
    expect(server.keys()).toEqual([`of/runs/${name}`]);
    expect(existsSync(file)).toBe(false);
    expect((await readAll(await store.read(name)))?.equals(bytes)).toBe(true);
    expect(await store.read('0'.repeat(64))).toBeUndefined();
  });

  it('deletes what is old, and nothing that is not its own', async () => {
    const server = await startS3Server();
    const store = createS3Store(server.place);
    const [first, other] = [aContent(), aContent()];
    await store.put(first.name, first.file, signal);
    await store.put('notes.txt', other.file, signal);
    expect(await store.prune?.(60_000, signal)).toBe(0);
    expect(await store.prune?.(-60_000, signal)).toBe(1);
    expect(server.keys()).toEqual(['of/runs/notes.txt']);
    await expect(store.prune?.(0, AbortSignal.abort())).rejects.toThrow();
  });

  it('tries again after a failure, and gives up in time', async () => {
    const server = await startS3Server();
    const store = createS3Store(server.place);
    await server.stop();
    const { name, file } = aContent();
    await expect(store.put(name, file, AbortSignal.timeout(300))).rejects.toThrow();
    await expect(store.put(name, `${file}-gone`, AbortSignal.abort())).rejects.toThrow();
    const stored = store.put(name, file, signal);
    await startS3Server(server);
    await stored;
    expect(server.keys()).toEqual([`of/runs/${name}`]);
  });

  it('ends an answer that stands still', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('the start');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
    const place = {
      bucket: 'files',
      prefix: '',
      endpoint: `http://127.0.0.1:${port}`,
      credentials,
    };
    const store = createS3Store(place, { stallMs: 1_000 });
    const reading = async () => readAll(await store.read('0'.repeat(64)));
    await expect(reading()).rejects.toThrow('inactivity');
  });

  it('fails with a hint when the store rejects its key', async () => {
    const { place } = await startS3Server();
    const credentials = { accessKeyId: 'unknown', secretAccessKey: 'S3RVER' };
    const store = createS3Store({ ...place, credentials });
    const { name, file } = aContent();
    await expect(store.put(name, file, signal)).rejects.toThrow(/Access Key/);
    expect(existsSync(file)).toBe(true);
  });
});

it('runs end although the bucket is unavailable, with a note in the timeline', async () => {
  const { place, stop } = await startS3Server();
  await stop();
  const environments = [shellEnvironment('echo x > notes.txt')];
  const service = await startRunsService({ environments, artifactsBucket: place });
  const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
  expect(run).toMatchObject({ state: 'SUCCEEDED', artifacts: [] });
  const page = await (await fetch(run.session_link ?? '')).text();
  expect(page).toContain('Couldn&#39;t save the run&#39;s files');
  expect(readdirSync(join(service.dataDir, 'artifacts'))).toEqual([]);
});
