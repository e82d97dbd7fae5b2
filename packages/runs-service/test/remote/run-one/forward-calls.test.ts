import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLogger } from 'base/logger';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenForRun } from '../../../src/gateway/listen-for-run.ts';
import { createForwarder } from '../../../src/remote/run-one/forward-calls.ts';

const token = `sam_${'a'.repeat(43)}`;
const path = '/anthropic/v1/messages';

type Received = { url: string; headers: IncomingMessage['headers']; body: string };

/** Starts a forwarder to a service that answers like this, below a path of its URL. */
async function forwarderTo(answer: RequestListener) {
  const service = createServer(answer).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/runs/`;
  const forward = createForwarder({
    serviceUrl,
    token,
    providers: [
      { name: 'anthropic', api: 'anthropic' },
      { name: 'google', api: 'gemini' },
    ],
    logger: createLogger('silent'),
  });
  const listener = await listenForRun(forward, 'port');
  const port = 'port' in listener.address ? listener.address.port : 0;
  const stop = () => {
    service.closeAllConnections();
    service.close();
  };
  onTestFinished(async () => {
    stop();
    await listener.close();
  });
  const open = (
    to = path,
    { method = 'POST', headers = {} }: { method?: string; headers?: object } = {},
  ) => {
    const sent = request({ port, path: to, method, headers: { 'x-api-key': token, ...headers } });
    sent.on('error', () => undefined);
    return sent;
  };
  const answerTo = async (sent: ReturnType<typeof open>) =>
    ((await once(sent, 'response')) as [IncomingMessage])[0];
  return { open, answerTo, stop };
}

/** Answers with the request as the service got it. */
const echo: RequestListener = async (incoming, response) => {
  const { url = '', headers } = incoming;
  const received: Received = { url, headers, body: await text(incoming) };
  response.writeHead(200, { 'x-reply': 'yes', connection: 'x-own', 'x-own': '1' });
  response.end(JSON.stringify(received));
};

describe('the forwarder of run-one', () => {
  it('passes calls on with the token in one place, and without headers of the connection', async () => {
    const { open, answerTo } = await forwarderTo(echo);
    const sent = open(`${path}?beta=true`, {
      headers: {
        'anthropic-beta': 'a,b',
        cookie: 'c',
        connection: 'x-hop, keep-alive',
        'x-hop': '1',
        'content-length': '4',
      },
    });
    sent.end('body');
    const answer = await answerTo(sent);
    const { url, headers, body } = JSON.parse(await text(answer)) as Received;
    expect(url).toBe('/runs/models/anthropic/v1/messages?beta=true');
    expect(body).toBe('body');
    expect(headers).toMatchObject({
      authorization: `Bearer ${token}`,
      'anthropic-beta': 'a,b',
      'content-length': '4',
    });
    for (const name of ['x-api-key', 'cookie', 'x-hop']) expect(headers).not.toHaveProperty(name);
    expect(answer.headers).toMatchObject({ 'x-reply': 'yes' });
    expect(answer.headers).not.toHaveProperty('x-own');
  });

  it('keeps a token in the query out of the logs of proxies', async () => {
    const { open, answerTo } = await forwarderTo(echo);
    const to = `/google/v1beta/models/g-1:streamGenerateContent?key=${token}&alt=sse`;
    const sent = open(to, { headers: { 'x-api-key': token } });
    sent.end('{}');
    const { url, headers } = JSON.parse(await text(await answerTo(sent))) as Received;
    expect(url).toBe('/runs/models/google/v1beta/models/g-1:streamGenerateContent?alt=sse');
    expect(headers.authorization).toBe(`Bearer ${token}`);
  });

  it('streams in both directions', async () => {
    const parts: string[] = [];
    const { open, answerTo } = await forwarderTo((incoming, response) => {
      response.writeHead(200).flushHeaders();
      incoming.on('data', (part: Buffer) => {
        parts.push(String(part));
        response.write(`${part}!`);
      });
      incoming.on('end', () => response.end());
    });
    const sent = open();
    sent.flushHeaders();
    const answer = await answerTo(sent);
    answer.setEncoding('utf8');
    for (const part of ['one', 'two', 'three']) {
      sent.write(part);
      expect(await once(answer, 'data')).toEqual([`${part}!`]);
      expect(parts.at(-1)).toBe(part);
    }
    sent.end();
    await once(answer, 'end');
  });

  it('waits for a silent service, before the headers and after them', async () => {
    const { open, answerTo } = await forwarderTo(async (incoming, response) => {
      await text(incoming);
      // Node closes idle connections of its pool after five seconds, but not those in use.
      await new Promise((done) => setTimeout(done, 6_000));
      response.writeHead(200).flushHeaders();
      await new Promise((done) => setTimeout(done, 6_000));
      response.end('late');
    });
    const sent = open();
    sent.end('{}');
    const answer = await answerTo(sent);
    expect([answer.statusCode, await text(answer)]).toEqual([200, 'late']);
  }, 20_000);

  it('lets the service see that the agent has disconnected', async () => {
    let gone = 0;
    let received = 0;
    const { open } = await forwarderTo((_, response) => {
      received += 1;
      response.on('close', () => {
        gone += 1;
      });
    });
    const [waiting, sending] = [open(), open()];
    waiting.end('{}');
    sending.write('{');
    await expect.poll(() => received).toBe(2);
    waiting.destroy();
    sending.destroy();
    await expect.poll(() => gone).toBe(2);
  });

  it('cuts the stream if the service is cut off, and then says that it is unreachable', async () => {
    const { open, answerTo, stop } = await forwarderTo((_, response) => {
      response.writeHead(200);
      response.write('half');
    });
    const sent = open();
    sent.end('{}');
    const answer = await answerTo(sent);
    await once(answer, 'data');
    const cut = once(answer, 'error');
    stop();
    expect(await cut).toMatchObject([{ code: 'ECONNRESET' }]);
    const again = open();
    again.end('{}');
    const rejection = await answerTo(again);
    expect(rejection.statusCode).toBe(502);
    expect(JSON.parse(await text(rejection))).toMatchObject({
      type: 'error',
      error: { message: "The runs service can't be reached. Send the call again." },
    });
  });

  it('passes a rejection on that arrives during the upload', async () => {
    const { open, answerTo } = await forwarderTo((incoming, response) => {
      response.writeHead(413).end('too large');
      incoming.resume();
    });
    const sent = open();
    const part = Buffer.alloc(256 * 1024);
    let isOver = false;
    const fill = () => {
      while (!isOver && sent.write(part));
    };
    sent.on('drain', fill);
    fill();
    const answer = await answerTo(sent);
    isOver = true;
    expect([answer.statusCode, await text(answer)]).toEqual([413, 'too large']);
    sent.destroy();
  });

  it.each([
    ['another token', path, { 'x-api-key': `sam_${'b'.repeat(43)}` }, 401],
    ['two tokens', path, { authorization: 'Bearer sk-other' }, 401],
    ['an unknown provider', '/openai/v1/responses', {}, 404],
    ['an unknown path', '/anthropic/v1/files', {}, 404],
    ['a way out of its path', '/anthropic/../../api/v1/agent/runs', {}, 404],
    ['an encoded way out', '/anthropic/%2e%2e/v1/messages', {}, 404],
    ['another host', 'http://169.254.169.254/anthropic/v1/messages', {}, 404],
  ])('never bothers the service with %s', async (_, to, headers, status) => {
    let received = 0;
    const { open, answerTo } = await forwarderTo((_incoming, response) => {
      received += 1;
      response.end();
    });
    const sent = open(to, { headers });
    sent.end('{}');
    expect((await answerTo(sent)).statusCode).toBe(status);
    expect(received).toBe(0);
  });
});
