import { createReadStream, type ReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createRunsApp } from '../../src/api/app.ts';
import { sendFile } from '../../src/api/artifact-routes.ts';
import { temporaryFolder } from '../support/runs-service.ts';

/** Starts an app with one large file, read through a generator like sealed files. */
function start() {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, Buffer.alloc(1_000_000, 'a'));
  const opened: ReadStream[] = [];
  const open = new Hono().get('/file', () => {
    const stream = createReadStream(file);
    opened.push(stream);
    return sendFile({ name: 'file', contentType: 'text/plain', chunks: passedOn(stream) });
  });
  const authenticate = async () => undefined;
  const logger = createLogger('silent');
  return { app: createRunsApp({ authenticate, api: [], open: [open], logger }), opened };
}

async function* passedOn(chunks: AsyncIterable<Buffer>) {
  yield* chunks;
}

it('a HEAD request has the headers of a file, and leaves it closed', async () => {
  const { app, opened } = start();
  const answer = await app.request('/file', { method: 'HEAD' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toBe('');
  await expect.poll(() => opened.map(({ closed }) => closed)).toEqual([true]);
  expect(await (await app.request('/file')).text()).toHaveLength(1_000_000);
  expect((await app.request('/healthz', { method: 'HEAD' })).status).toBe(200);
  expect((await app.request('/none', { method: 'HEAD' })).status).toBe(404);
});
