import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/databases.ts';
import {
  answerMessage,
  messageBody,
  messageEvents,
  openGatewayBed,
  realKey,
} from './gateway-bed.ts';

const db = useDatabase();
const path = '/anthropic/v1/messages';

const open = (answer: RequestListener, more: object = {}) =>
  openGatewayBed(db(), { answer, ...more });

/** Answers every request in this way. */
const answering =
  (status: number, headers: Record<string, string>, body: string): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };

const json = { 'content-type': 'application/json' };

describe('a provider that rejects a call', () => {
  it.each([401, 403])(
    'with %i gets a body of ours, because it can contain the key',
    async (status) => {
      const body = `{"error":{"message":"Incorrect API key provided: ${realKey}"}}`;
      const bed = await open(answering(status, { ...json, 'x-organization': 'org' }, body));
      const answer = await bed.call(path, { body: messageBody });
      expect(answer).toMatchObject({ status, headers: { 'x-should-retry': 'false' } });
      expect(answer.text).toContain('Ask the operator');
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain(realKey);
      const [row] = await bed.endedRows();
      expect(row).toMatchObject({ outcome: 'provider_error', status, price_micros: 0 });
      expect(bed.notes).toHaveLength(1);
      await bed.call(path, { body: messageBody });
      expect(bed.notes).toEqual([expect.stringContaining('Tell the operator')]);
    },
  );

  it('passes on what it says about limits, without headers about the account', async () => {
    const body = '{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}';
    const headers = {
      ...json,
      'retry-after': '7',
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-organization-id': 'org',
      'set-cookie': 'a=b',
      'request-id': 'req_1',
    };
    const bed = await open(answering(429, headers, body));
    const answer = await bed.call(path, { body: messageBody });
    expect(answer).toMatchObject({ status: 429, text: body, headers: { 'retry-after': '7' } });
    expect(Object.keys(answer.headers).sort()).toEqual([
      ...['connection', 'content-length', 'content-type', 'date', 'request-id', 'retry-after'],
      'x-request-id',
    ]);
    const [row] = await bed.endedRows();
    expect(row).toMatchObject({ status: 429, price_micros: 0, upstream_id: 'req_1' });
  });

  it.each([400, 413, 500, 529])('passes its status %i and its body on', async (status) => {
    const body = `{"error":{"message":"status ${status}"}}`;
    const bed = await open(answering(status, json, body));
    expect(await bed.call(path, { body: messageBody })).toMatchObject({ status, text: body });
  });

  it('passes no body on that contains the key', async () => {
    const bed = await open(answering(500, json, `{"error":{"message":"key ${realKey} failed"}}`));
    const answer = await bed.call(path, { body: messageBody });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text).error.message).toContain('failed with status 500');
    expect(answer.text).not.toContain(realKey);
  });

  it('cannot redirect it', async () => {
    let redirected = 0;
    const bed = await open((request, response) => {
      if (request.url === '/elsewhere') redirected += 1;
      request.resume();
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const answer = await bed.call(path, { body: messageBody });
    expect(answer.status).toBe(502);
    expect(answer.headers).not.toHaveProperty('location');
    expect(redirected).toBe(0);
  });
});

describe('a provider that fails', () => {
  it('in the middle of a stream cuts it, and the call costs at least what was reserved', async () => {
    const bed = await open((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(messageEvents.start + messageEvents.text, () => response.destroy());
    });
    expect((await bed.call(path, { body: messageBody })).text).toBe('cut');
    const [row] = await bed.endedRows();
    expect(row).toMatchObject({ outcome: 'cut', estimated: 1, input_tokens: 100 });
    expect(row?.price_micros).toBeGreaterThanOrEqual(row?.reserved_micros ?? 0);
    expect(bed.notes).toEqual(['The model provider "anthropic" ended a response too early.']);
  });

  it('to report its usage is charged with an estimate', async () => {
    const bed = await open((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(messageEvents.text.repeat(10));
    });
    await bed.call(path, { body: messageBody });
    const [row] = await bed.endedRows();
    expect(row).toMatchObject({ estimated: 1 });
    expect(row?.price_micros).toBeGreaterThanOrEqual(row?.reserved_micros ?? 0);
    expect(row?.price_micros).toBeGreaterThan(0);
  });

  it('to respond after it got the call is not asked again, and may have billed it', async () => {
    let requests = 0;
    const bed = await open((request) => {
      requests += 1;
      request.resume().on('end', () => request.socket.destroy());
    });
    const answer = await bed.call(path, { body: messageBody });
    expect(answer.status).toBe(502);
    expect(requests).toBe(1);
    const [row] = await bed.endedRows();
    expect(row).toMatchObject({ outcome: 'cut', estimated: 1, status: 502 });
    expect(row?.price_micros).toBeGreaterThan(0);
  });

  it('to accept a connection bills nothing', async () => {
    const unused = createServer().listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const address = unused.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((done) => unused.close(done));
    const provider = { base_url: `http://127.0.0.1:${port}` };
    const bed = await open(() => undefined, { provider });
    const answer = await bed.call(path, { body: messageBody });
    expect(answer.status).toBe(502);
    expect(answer.text).not.toContain('127.0.0.1');
    expect(await bed.endedRows()).toMatchObject([{ outcome: 'unreachable', price_micros: 0 }]);
  });

  it.each(['http://127.0.0.1:9', 'http://localhost:9', 'http://[::1]:9', 'http://169.254.169.254'])(
    'with the private address %s is not reached unless that is allowed',
    async (base_url) => {
      const provider = { base_url, allow_private: false };
      const bed = await open(() => undefined, { provider });
      expect((await bed.call(path, { body: messageBody })).status).toBe(502);
      expect(bed.notes).toEqual([expect.stringContaining('allow_private')]);
      expect(await bed.endedRows()).toMatchObject([{ outcome: 'unreachable', price_micros: 0 }]);
    },
  );

  it('because it stays silent gets 504 before its response, and a cut stream after it', async () => {
    const silent = await open((request) => void request.resume(), { silenceMs: 1_000 });
    expect((await silent.call(path, { body: messageBody })).status).toBe(504);
    expect(await silent.endedRows()).toMatchObject([{ outcome: 'cut', estimated: 1 }]);
    const late = await open(
      (request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(messageEvents.start);
      },
      { silenceMs: 1_000 },
    );
    expect((await late.call(path, { body: messageBody })).text).toBe('cut');
    expect(late.notes).toEqual([expect.stringContaining('silent')]);
  });
});

describe('the key of a provider', () => {
  it('is read again when its file changes, and its absence can be repaired', async () => {
    const keys: unknown[] = [];
    const bed = await open((request, response) => {
      keys.push(request.headers['x-api-key']);
      request.resume();
      answerMessage(response);
    });
    await bed.call(path, { body: messageBody });
    rmSync(bed.keyFile);
    const answer = await bed.call(path, { body: messageBody });
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text).error.message).toContain("can't be read");
    expect(bed.notes).toEqual([expect.stringContaining("can't be read")]);
    writeFileSync(bed.keyFile, 'a-new-key');
    await bed.call(path, { body: messageBody });
    expect(keys).toEqual([realKey, 'a-new-key']);
    expect(await bed.endedRows()).toHaveLength(2);
  });

  it('can be missing for a local model server', async () => {
    const keys: unknown[] = [];
    const bed = await openGatewayBed(db(), {
      provider: { api: 'openai', key_file: undefined } as object,
      answer(request, response) {
        keys.push(request.headers.authorization);
        request.resume();
        response.writeHead(200, json).end('{"model":"m","usage":{}}');
      },
    });
    await bed.call('/openai/v1/responses', { body: '{"model":"m"}' });
    expect(keys).toEqual([undefined]);
  });
});

describe('Chat Completions', () => {
  const chunk = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  const content = chunk({
    model: 'gpt-5.4',
    choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }],
  });
  const usage = chunk({
    model: 'gpt-5.4',
    choices: [],
    usage: { prompt_tokens: 7, completion_tokens: 3 },
  });

  it('are counted although the agent has not asked for usage, and it gets none', async () => {
    const bodies: string[] = [];
    const bed = await openGatewayBed(db(), {
      provider: { api: 'openai' },
      async answer(request, response) {
        bodies.push(await text(request));
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`${content}${usage}data: [DONE]\n\n`);
      },
    });
    const to = '/openai/v1/chat/completions';
    const plain = await bed.call(to, { body: '{"model":"gpt-5.4","stream":true}' });
    expect(plain.text).toBe(`${content}data: [DONE]\n\n`);
    const wanted = '"stream_options":{"include_usage":true}';
    expect(bodies).toEqual([`{${wanted},"model":"gpt-5.4","stream":true}`]);
    const asked = await bed.call(to, { body: `{"model":"gpt-5.4","stream":true,${wanted}}` });
    expect(asked.text).toContain(usage);
    expect(await bed.endedRows()).toMatchObject([
      { input_tokens: 7, output_tokens: 3, estimated: 0 },
      { input_tokens: 7, output_tokens: 3, estimated: 0 },
    ]);
  });
});

describe('Gemini', () => {
  it('accepts the token in the query, and never passes the query on', async () => {
    const urls: unknown[] = [];
    const bed = await openGatewayBed(db(), {
      provider: { api: 'gemini' },
      answer(request, response) {
        urls.push([request.url, request.headers['x-goog-api-key']]);
        request.resume();
        response.writeHead(200, json);
        response.end('{"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2}}');
      },
    });
    const to = '/gemini/v1beta/models/gemini-3-flash';
    const headers = { authorization: [] as string[] };
    for (const action of ['generateContent?', 'streamGenerateContent?alt=sse&'])
      await bed.call(`${to}:${action}key=${bed.token}`, { headers, body: '{"contents":[]}' });
    expect(urls).toEqual([
      ['/v1beta/models/gemini-3-flash:generateContent', realKey],
      ['/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse', realKey],
    ]);
    expect((await bed.endedRows())[0]).toMatchObject({ input_tokens: 5, output_tokens: 2 });
    const array = await bed.call(`${to}:streamGenerateContent`, { body: '{}' });
    expect(array.status).toBe(404);
  });
});
