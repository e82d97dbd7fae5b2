import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { ModelApi, ModelProvider } from '../../src/environments/models-config.ts';
import { createToken } from '../../src/gateway/tokens.ts';
import { createRuns } from '../../src/store/runs.ts';
import { useDatabase } from '../support/databases.ts';
import { answerMessage, messageBody, openGatewayBed } from './gateway-bed.ts';

const db = useDatabase();

/** Opens a gateway with a provider that counts its requests. */
async function open(options: Partial<Parameters<typeof openGatewayBed>[1]> = {}) {
  const seen: string[] = [];
  const bed = await openGatewayBed(db(), {
    answer(request, response) {
      seen.push(request.url ?? '');
      request.resume();
      answerMessage(response);
    },
    ...options,
  });
  /** Sends raw bytes on a new connection, and returns everything that comes back. */
  async function raw(head: string): Promise<string> {
    const socket = connect(bed.socketPath);
    socket.write(head.replaceAll('\n', '\r\n'));
    return text(socket);
  }
  return { ...bed, seen, raw };
}

describe('a hostile request', () => {
  it.each([
    '/anthropic/v1/files',
    '/anthropic/v1/messages/batches',
    '/anthropic/v1/messages/../files',
    '/anthropic/v1/%2e%2e/v1/messages',
    '/anthropic/v1/messages%3Fbeta=true',
    '/anthropic//v1/messages',
    '//anthropic/v1/messages',
    '/anthropic/v1/messages?beta=false',
    '/anthropic/v1/messages?beta=true&x=1',
    '/anthropic/v1/messages/',
    '/anthropic/v1/messages;x',
    '/anthropic\\v1/messages',
    '/Anthropic/v1/messages',
    '/other/v1/messages',
    '/constructor/v1/messages',
    '/v1/messages',
    '/',
    '*',
    'http://api.example.com/anthropic/v1/messages',
    'http://api.example.com/v1/messages',
  ])('to %s reaches no provider', async (path) => {
    const { call, seen } = await open();
    expect((await call(path, { body: messageBody })).status).toBe(404);
    expect(seen).toEqual([]);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'GET'])(
    'with %s reaches no provider',
    async (method) => {
      const { call, seen } = await open();
      expect((await call('/anthropic/v1/messages', { method })).status).toBe(404);
      expect(seen).toEqual([]);
    },
  );

  it('can name any host, but reaches only the provider', async () => {
    const { call, seen } = await open();
    const headers = { host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com' };
    expect((await call('/anthropic/v1/messages', { headers, body: messageBody })).status).toBe(200);
    expect(seen).toEqual(['/v1/messages']);
  });

  it('needs the token of this run, and the same one in all places', async () => {
    const { call, seen, token } = await open();
    const other = createToken();
    const path = '/anthropic/v1/messages';
    for (const headers of [
      { authorization: '' },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${other}` },
      { authorization: `Bearer ${token}`, 'x-api-key': other },
      { authorization: `Bearer ${token}`, 'x-goog-api-key': 'x' },
      { authorization: '', 'x-api-key': [token, other] },
      { authorization: token.slice(0, -1) },
    ]) {
      const answer = await call(path, { headers, body: messageBody });
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.text).error.type).toBe('authentication_error');
      expect(answer.headers['x-should-retry']).toBe('false');
    }
    expect(seen).toEqual([]);
    const both = { authorization: `Bearer ${token}`, 'x-api-key': token };
    expect((await call(path, { headers: both, body: messageBody })).status).toBe(200);
  });

  it('is rejected after the end of its run', async () => {
    const { call, seen, runId } = await open();
    await createRuns(db()).change(runId, ['INPROGRESS'], { state: 'SUCCEEDED' });
    const answer = await call('/anthropic/v1/messages', { body: messageBody });
    expect(answer.status).toBe(402);
    expect(JSON.parse(answer.text).error.message).toContain('has ended');
    expect(seen).toEqual([]);
  });

  it.each([
    ['two lengths', 'content-length: 2\ncontent-length: 3\n\n{}1'],
    ['a length and chunks', 'content-length: 2\ntransfer-encoding: chunked\n\n2\n{}\n0\n\n'],
    ['a hidden second request', 'content-length: 2\n\tx: y\n\n{}POST / HTTP/1.1\n\n'],
    ['a space before a colon', 'content-length : 2\n\n{}'],
  ])('with %s is rejected', async (_, rest) => {
    const { raw, seen, token } = await open();
    const head = `POST /anthropic/v1/messages HTTP/1.1\nhost: x\nx-api-key: ${token}\nconnection: close\n`;
    expect(await raw(head + rest)).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen).toEqual([]);
  });

  it('can ask for an upgrade only in vain', async () => {
    const { raw, seen } = await open();
    const head = 'GET /anthropic/v1/responses HTTP/1.1\nhost: x\n';
    expect(await raw(`${head}connection: upgrade\nupgrade: websocket\n\n`)).toMatch(
      /^HTTP\/1\.1 426 /,
    );
    expect(seen).toEqual([]);
  });

  it('can expect to continue, and is told so by the gateway', async () => {
    const { raw, token } = await open();
    const head = `POST /anthropic/v1/messages HTTP/1.1\nhost: x\nx-api-key: ${token}\nconnection: close\n`;
    const length = Buffer.byteLength(messageBody);
    const answer = await raw(
      `${head}expect: 100-continue\ncontent-length: ${length}\n\n${messageBody}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  it('with a compressed body is rejected', async () => {
    const { call, seen } = await open();
    const sent = { headers: { 'content-encoding': 'gzip' }, body: messageBody };
    expect((await call('/anthropic/v1/messages', sent)).status).toBe(415);
    expect(seen).toEqual([]);
  });

  it('that announces more than 64 MiB is rejected before it is sent', async () => {
    const { raw, token, seen } = await open();
    const head = `POST /anthropic/v1/messages HTTP/1.1\nhost: x\nx-api-key: ${token}\nconnection: close\n`;
    expect(await raw(`${head}content-length: ${65 * 1024 * 1024}\n\n{`)).toMatch(/ 413 /);
    expect(seen).toEqual([]);
  });

  it('without an end is rejected at 64 MiB', async () => {
    const { socketPath, token, seen } = await open();
    const socket = connect(socketPath).on('error', () => undefined);
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]);
    socket.write(
      `POST /anthropic/v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{"\r\n`,
    );
    const endless = Readable.from(
      (function* () {
        for (;;) yield chunk;
      })(),
    );
    endless.pipe(socket);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    endless.destroy();
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(seen).toEqual([]);
  });

  it('is one of at most 16 at a time, and the next one waits', async () => {
    const held: (() => void)[] = [];
    const bed = await open({
      answer(request, response) {
        request.resume();
        held.push(() => answerMessage(response));
      },
    });
    const answers = Array.from({ length: 20 }, () =>
      bed.call('/anthropic/v1/messages', { body: messageBody }),
    );
    await expect.poll(() => held.length).toBe(16);
    for (const finish of held.splice(0)) finish();
    await expect.poll(() => held.length).toBe(4);
    for (const finish of held.splice(0)) finish();
    for (const answer of answers) expect((await answer).status).toBe(200);
  });
});

describe('a request that the run is not allowed to make', () => {
  const bodies: Record<ModelApi, [path: string, body: (more: object) => string]> = {
    anthropic: ['/anthropic/v1/messages', (more) => JSON.stringify({ model: 'm', ...more })],
    openai: ['/openai/v1/responses', (more) => JSON.stringify({ model: 'm', ...more })],
    gemini: ['/gemini/v1beta/models/m:generateContent', (more) => JSON.stringify(more)],
  };

  it.each<[ModelApi, number, object]>([
    ['anthropic', 402, { type: 'error', error: { type: 'billing_error' } }],
    ['openai', 400, { error: { type: 'invalid_request_error', param: null } }],
    ['gemini', 403, { error: { code: 403, status: 'PERMISSION_DENIED' } }],
  ])('gets the error of %s for a model that is not allowed', async (api, status, error) => {
    const [path, body] = bodies[api];
    for (const [allowed, models] of [
      [['a', 'b'], undefined],
      [undefined, ['a']],
      [['m'], ['a']],
      [['m'], []],
      [['M', 'models/m', 'm-2'], undefined],
    ]) {
      const bed = await open({
        provider: { api, ...(allowed && { allowed }) },
        access: { models },
      });
      const answer = await bed.call(path, { body: body({}) });
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject(error);
      expect(JSON.parse(answer.text).error.message).toContain('"m"');
      expect(bed.seen).toEqual([]);
    }
  });

  it.each<[ModelApi, string, Partial<ModelProvider>]>([
    ['anthropic', 'anthropic/m', {}],
    ['anthropic', 'anthropic/m', { allowed: ['m', 'n'] }],
    ['gemini', 'google/m', {}],
    ['gemini', 'gemini/m', {}],
    ['openai', 'openai/m', {}],
  ])('is allowed at %s if the limits have %s, as OpenCode calls it', async (api, model, more) => {
    const [path, body] = bodies[api];
    const bed = await open({ provider: { api, ...more }, access: { models: [model] } });
    await bed.call(path, { body: body({}) });
    expect(bed.seen).toHaveLength(1);
    const other = await open({ provider: { api, ...more }, access: { models: [`other/m`] } });
    await other.call(path, { body: body({}) });
    expect(other.seen).toEqual([]);
  });

  it.each<[ModelApi, object]>([
    ['anthropic', { type: 'error', error: { type: 'invalid_request_error' } }],
    ['openai', { error: { type: 'invalid_request_error' } }],
    ['gemini', { error: { code: 400, status: 'INVALID_ARGUMENT' } }],
  ])('gets the error of %s for something that costs extra', async (api, error) => {
    const bed = await open({ provider: { api } });
    const [path, body] = bodies[api];
    const answer = await bed.call(path, { body: body({ service_tier: 'priority' }) });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject(error);
    expect(bed.seen).toEqual([]);
    expect(await bed.rows()).toEqual([]);
  });

  it('is rejected for fast mode, and for tools of the provider unless those are allowed', async () => {
    const bed = await open();
    const path = '/anthropic/v1/messages';
    const fast = { 'anthropic-beta': 'context-1m-2025-08-07,fast-mode-2026-02-01' };
    expect((await bed.call(path, { headers: fast, body: messageBody })).status).toBe(400);
    const search = JSON.stringify({ model: 'm', tools: [{ type: 'web_search_20250305' }] });
    expect((await bed.call(path, { body: search })).status).toBe(400);
    expect(bed.seen).toEqual([]);
    const other = await open({ provider: { server_tools: true } });
    expect((await other.call(path, { body: search })).status).toBe(200);
  });

  it('is rejected for a model without a price if only priced ones are allowed', async () => {
    const body = JSON.stringify({ model: 'unknown-model-x' });
    const denied = await open({ provider: { unpriced: 'deny' } });
    expect((await denied.call('/anthropic/v1/messages', { body })).status).toBe(402);
    expect(denied.seen).toEqual([]);
    const counted = await open();
    expect((await counted.call('/anthropic/v1/messages', { body })).status).toBe(200);
    expect(counted.seen).toHaveLength(1);
  });
});

describe('requests that the gateway answers itself', () => {
  it('are those for the base address, which programs check at their start', async () => {
    const { call, seen } = await open();
    for (const method of ['GET', 'HEAD'])
      for (const path of ['/anthropic', '/anthropic/'])
        expect((await call(path, { method })).status).toBe(204);
    expect(seen).toEqual([]);
  });

  it.each<[ModelApi, string, object]>([
    ['anthropic', '/anthropic/v1/models?limit=1000', { data: [{ id: 'a', type: 'model' }] }],
    ['openai', '/openai/v1/models', { data: [{ id: 'a', object: 'model' }] }],
    ['gemini', '/gemini/v1beta/models', { models: [{ name: 'models/a' }] }],
  ])('are lists of models of %s, which contain what the run can use', async (api, path, list) => {
    const bed = await open({ provider: { api, allowed: ['a', 'b'] }, access: { models: ['a'] } });
    const answer = await bed.call(path, { method: 'GET' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject(list);
    expect(bed.seen).toEqual([]);
    const anonymous = { method: 'GET', headers: { authorization: '' } };
    expect((await bed.call(path, anonymous)).status).toBe(401);
  });
});
