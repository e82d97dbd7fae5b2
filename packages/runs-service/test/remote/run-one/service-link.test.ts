import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createLogger } from 'base/logger';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { runOne } from '../../../src/remote/run-one/run-one.ts';
import { createServiceLink } from '../../../src/remote/run-one/service-link.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

type Answer = { status?: number; body: string };
const logger = createLogger('silent');

/** Starts a server that answers like a service of another version, or like a proxy. */
async function answering(answer: (request: IncomingMessage) => Answer | Promise<Answer>) {
  const server = createServer(async (request, response) => {
    const { status = 200, body } = await answer(request);
    response.writeHead(status).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const place = (serviceUrl: string) => ({ serviceUrl, runId: 'r', token: 't' });
const linkTo = (serviceUrl: string) =>
  createServiceLink({
    ...place(serviceUrl),
    worker: 'worker-of-the-test',
    onOver: () => undefined,
    logger,
    signal: new AbortController().signal,
  });
const gone = JSON.stringify({
  type: 'urn:slash-agent:problem:resource_not_found',
  detail: 'There is no such file.',
});

it('a file that vanished or changed is given up, and one that comes late is fetched', async () => {
  const answers: Answer[] = [{ status: 404, body: gone }, { body: 'other' }, { body: 'four' }];
  const fetching = linkTo(
    await answering(() => answers.shift() ?? { status: 404, body: gone }),
  ).fetchFile;
  const file = join(temporaryFolder(), 'file');
  expect(await fetching('earlier-patch', file, 4)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('four');
  expect(await fetching('earlier-patch', file, 4)).toBe(false);
  expect(existsSync(file)).toBe(false);
});

it('a file that changes while it is sent is not sent again and again', async () => {
  const url = await answering(async (request) => ({
    body:
      request.method === 'PUT' ? `{"have":${(await text(request)).length}}` : '{"missing":true}',
  }));
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'changed');
  const sending = linkTo(url).sendFile('patch', file, { bytes: 4 });
  await expect(sending).rejects.toThrow('patch changed while it was sent');
});

it('what a proxy says is an outage, and an unknown answer of the service is not', async () => {
  const answers = ['<html>', '{"next":"x"}'];
  const link = linkTo(await answering(() => ({ body: answers.shift() ?? '' })));
  const call = { method: 'POST' as const, path: '/report', answer: z.object({ next: z.number() }) };
  await expect(link.call(call)).rejects.toThrow(/\(next\)\. Use the same version of slash-agent/);
  expect(answers).toEqual([]);
});

it('a run whose work cannot be read ends with the reason', async () => {
  const ends: unknown[] = [];
  const url = await answering(async (request) => {
    if (request.url?.endsWith('/end')) ends.push(JSON.parse(await text(request)));
    return { body: '{"missing":false}' };
  });
  const config = {
    ...place(url),
    dataDir: temporaryFolder(),
    path: '',
    allowRoot: true,
    logLevel: 'silent' as const,
  };
  const stopping = new AbortController().signal;
  expect(await runOne(config, { stopping, logger })).toBe(true);
  const message = expect.stringContaining('Use the same version of slash-agent');
  expect(ends).toEqual([
    { end: { state: 'FAILED', status: expect.objectContaining({ message }) }, output_bytes: 0 },
  ]);
});
