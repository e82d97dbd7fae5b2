import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { App } from '@slack/bolt';
import { createLogger } from 'base/logger';
import { signRequest } from 'slack-stand-in/signing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sendsEndlessly } from '../../../packages/base/test/support/bad-senders.ts';
import { signal } from '../../../packages/base/test/support/signal.ts';
import { createBoltLogger } from '../../../src/slack/connection/bolt-logger.ts';
import { readDelivery } from '../../../src/slack/connection/deliveries/delivery.ts';
import { expectLostAcknowledgements } from '../../../src/slack/connection/deliveries/lost-acknowledgements.ts';
import { createHttpReceiver } from '../../../src/slack/connection/http-receiver.ts';

const signingSecret = 'secret-of-the-test';
const now = () => Math.floor(Date.now() / 1_000);

async function startApp(register: (app: App) => void = () => {}) {
  const logger = createBoltLogger(createLogger('silent'));
  const receiver = createHttpReceiver({ signingSecret, host: '127.0.0.1', port: 0, logger });
  const authorize = async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U1' });
  const app = new App({ receiver, logger, authorize, convoStore: false });
  const bodies: unknown[] = [];
  app.use(async ({ body, context, next }) => {
    bodies.push(context.retryNum === undefined ? body : [context.retryNum, body]);
    await next();
  });
  register(app);
  const server = (await receiver.start()) as Server;
  onTestFinished(() => void receiver.stop());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/slack/events`;

  /** Posts a delivery with Slack's signature, unless the test sets another one. */
  async function post(body: string, headers: Record<string, string> = {}, sentAt = now()) {
    const timestamp = String(sentAt);
    const signature = signRequest(signingSecret, timestamp, body);
    const signed = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
    const answer = await fetch(url, { method: 'POST', body, headers: { ...signed, ...headers } });
    return [answer.status, await answer.text()];
  }
  return { post, bodies, url, port, receiver };
}

const person = { team: { id: 'T1' }, user: { id: 'U2' } };
const mention = {
  type: 'event_callback',
  event_id: 'Ev1',
  team_id: 'T1',
  event: { type: 'app_mention', channel: 'C1', user: 'U2', text: 'ü & 100 % + =', ts: '1.0' },
};
const click = {
  type: 'block_actions',
  ...person,
  actions: [{ type: 'button', action_id: 'go', block_id: 'b', value: 'a+b & c=d % ü 🙂' }],
};
const formOf = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

describe('a Slack delivery over HTTP', () => {
  it.each([
    ['an event', JSON.stringify(mention), mention],
    ['a click', formOf({ payload: JSON.stringify(click) }), click],
    ['a click with another field', formOf({ payload: JSON.stringify(click), more: '1' }), click],
    ['a click without + for spaces', `payload=${encodeURIComponent(JSON.stringify(click))}`, click],
    [
      'a command',
      formOf({ command: '/agent', text: 'fix a+b & c=d % ü 🙂', team_id: 'T1', user_id: 'U2' }),
      { command: '/agent', text: 'fix a+b & c=d % ü 🙂', team_id: 'T1', user_id: 'U2' },
    ],
  ])('is read completely: %s', async (_, body, expected) => {
    const { post, bodies } = await startApp((app) => {
      app.command('/agent', ({ ack }) => ack('heard'));
      app.action('go', ({ ack }) => ack());
    });
    const [status] = await post(body);
    expect(status).toBe(200);
    expect(bodies).toEqual([expected]);
  });

  it('is answered on a connection that stays open longer than the idle time of proxies', async () => {
    const { url } = await startApp();
    const { headers } = await fetch(url);
    expect(headers.get('keep-alive')).toBe('timeout=75');
  });

  it('is read when it arrives in pieces', async () => {
    const { bodies, port } = await startApp((app) => app.action('go', ({ ack }) => ack()));
    const body = formOf({ payload: JSON.stringify({ ...click, more: 'ü'.repeat(100_000) }) });
    const timestamp = String(now());
    const socket = connect(port, '127.0.0.1');
    const head = [
      'POST /slack/events HTTP/1.1',
      'host: localhost',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-slack-request-timestamp: ${timestamp}`,
      `x-slack-signature: ${signRequest(signingSecret, timestamp, body)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    for (let at = 0; at < body.length; at += 70_001) socket.write(body.slice(at, at + 70_001));
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
    expect(bodies).toHaveLength(1);
  });

  it('has the number of the retry', async () => {
    const { post, bodies } = await startApp();
    await post(JSON.stringify(mention), { 'x-slack-retry-num': '2', 'x-slack-retry-reason': 'x' });
    expect(bodies).toEqual([[2, mention]]);
  });

  it("gets the listener's answer", async () => {
    const { post } = await startApp((app) => {
      app.command('/agent', ({ ack }) => ack('heard'));
      app.command('/more', ({ ack }) => ack({ text: 'heard too' }));
    });
    const command = (name: string) => formOf({ command: name, team_id: 'T1', user_id: 'U2' });
    expect(await post(command('/agent'))).toEqual([200, 'heard']);
    expect(await post(command('/more'))).toEqual([200, '{"text":"heard too"}']);
  });

  it.each([-240, 240])('is accepted if the clocks differ by %i seconds', async (seconds) => {
    const { post, bodies } = await startApp((app) => app.action('go', ({ ack }) => ack()));
    const body = formOf({ payload: JSON.stringify(click) });
    expect(await post(body, {}, now() + seconds)).toEqual([200, '']);
    expect(bodies).toHaveLength(1);
  });

  it("gets an error at once if the listener doesn't answer", async () => {
    const { post } = await startApp((app) => app.action('go', async () => {}));
    const body = formOf({ payload: JSON.stringify(click) });
    expect(await post(body)).toEqual([500, '']);
  });

  it("gets an error if it couldn't be stored, so that Slack repeats it", async () => {
    const { post } = await startApp((app) => {
      app.processEvent = async () => {
        throw new Error('disk full');
      };
    });
    expect(await post(JSON.stringify(mention))).toEqual([500, '']);
  });
});

describe("a request that isn't a Slack delivery", () => {
  const body = formOf({ payload: JSON.stringify(click) });

  it.each<[string, Record<string, string>, number]>([
    ['another signature', { 'x-slack-signature': `v0=${'0'.repeat(64)}` }, now()],
    ['a signature of another kind', { 'x-slack-signature': 'v1=abc' }, now()],
    ['half a signature', { 'x-slack-signature': 'v0=' }, now()],
    ['no signature', { 'x-slack-signature': '' }, now()],
    ['a time that is none', { 'x-slack-request-timestamp': 'soon' }, now()],
    ['a time of six minutes ago', {}, now() - 360],
    ['a time in six minutes', {}, now() + 360],
    ['a time with something behind it', { 'x-slack-request-timestamp': `${now()}.0` }, now()],
    ['a longer signature', { 'x-slack-signature': `v0=${'0'.repeat(65)}` }, now()],
    ['a signature of other letters', { 'x-slack-signature': `v0=${'é'.repeat(64)}` }, now()],
  ])('is rejected, and nothing hears of it: %s', async (_, headers, sentAt) => {
    const { post, bodies } = await startApp();
    expect(await post(body, headers, sentAt)).toEqual([401, '']);
    expect(bodies).toEqual([]);
  });

  it.each([
    ['no JSON', 'payload=%7Bno'],
    ['no text', 'payload=%E0%A4%A'],
    ['a list', '[1]'.replace('[', 'payload=[')],
    ['a word', 'payload="word"'],
    ['broken JSON', '{"type":'],
    ['a list of numbers', '[1,2,3]'],
    ['a null', 'null'],
    ['an empty body', ''],
    ['a form of other fields', 'name=value'],
  ])('is not read: %s', async (_, unreadable) => {
    const { post, bodies } = await startApp();
    expect(await post(unreadable)).toEqual([400, '']);
    expect(bodies).toEqual([]);
  });

  it("is rejected if it's too large", async () => {
    const { post, bodies } = await startApp();
    expect(await post(`payload=${'x'.repeat(5 * 1024 * 1024)}`)).toEqual([413, '']);
    expect(bodies).toEqual([]);
  });

  it.each([
    ['without a signature', {}],
    ['with an old signature', { 'x-slack-request-timestamp': '1' }],
    ['with a recent signature', { 'x-slack-request-timestamp': `${now()}` }],
  ])('is answered while it sends a body without an end, %s', async (_, headers) => {
    const { url, bodies } = await startApp();
    const sender = sendsEndlessly({ url, headers: { 'x-slack-signature': 'v0=abc', ...headers } });
    const { reply, sentBytes } = await sender;
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
    expect(sentBytes).toBeLessThan(30_000_000);
    expect(bodies).toEqual([]);
  });

  it("can't get past the signature check by posing as a certificate check", async () => {
    const { url, bodies, post } = await startApp();
    const check = (text: string) => fetch(url, { method: 'POST', body: text });
    expect((await check('ssl_check=1&token=old')).status).toBe(200);
    expect((await check(`ssl_check=1&${body}`)).status).toBe(200);
    expect((await check(`${body}&ssl_check=1`)).status).toBe(200);
    expect((await check(`${body}&ssl_check=0`)).status).toBe(401);
    const forged = {
      'x-slack-signature': 'v0=abc',
      'x-slack-request-timestamp': String(Math.floor(Date.now() / 1_000)),
    };
    const large = `ssl_check=1&${'a&'.repeat(1_000_000)}`;
    const read = await fetch(url, { method: 'POST', headers: forged, body: large });
    expect(read.status).toBe(200);
    const signed = formOf({ command: '/agent', team_id: 'T1', ssl_check: '1' });
    expect(await post(signed)).toEqual([200, '']);
    expect(bodies).toEqual([]);
  });

  it('that is acknowledged after three seconds has failed for Slack, and that is no error of the app', async () => {
    const failures: unknown[] = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { post } = await startApp((app) => {
      const expectLost = expectLostAcknowledgements(createLogger('silent'));
      app.action('go', async ({ body, ack }) => {
        await vi.advanceTimersByTimeAsync(3_200);
        await expectLost(readDelivery({ body, ack }), async (delivery) => {
          await delivery.ack().catch((error: unknown) => failures.push(error));
        });
      });
    });
    expect(await post(formOf({ payload: JSON.stringify(click) }))).toEqual([404, '']);
    await expect.poll(() => failures).toMatchObject([{ code: 'acknowledgement_lost' }]);
  });

  it('gets an answer for the URL verification, and 404 on other paths', async () => {
    const { post, url } = await startApp();
    const challenge = { type: 'url_verification', challenge: 'abc' };
    expect(await post(JSON.stringify(challenge))).toEqual([200, '{"challenge":"abc"}']);
    const at = async (path: string, method: string) =>
      (await fetch(new URL(path, url), { method })).status;
    expect(await at('/slack/events', 'GET')).toBe(404);
    expect(await at('/slack/events/more', 'POST')).toBe(404);
    expect(await at('/', 'POST')).toBe(404);
  });
});

describe('many requests at once', () => {
  const body = formOf({ payload: JSON.stringify(click) });

  it('are a hundred at most: the one that has been sending longest is cut off for the next', async () => {
    const { post, port } = await startApp((app) => app.action('go', ({ ack }) => ack()));
    const slow = await Promise.all(Array.from({ length: 100 }, () => startsSending(port)));
    const cut = once(slow[0]?.socket as Socket, 'close');
    expect(await post(body)).toEqual([200, '']);
    await cut;
    for (const { socket } of slow) socket.destroy();
    expect(slow.filter(({ isAnswered }) => isAnswered())).toEqual([]);
  });

  it('are rejected beyond a hundred while all of them are being answered', async () => {
    const [released, release] = signal();
    let waiting = 0;
    const { post } = await startApp((app) =>
      app.action('go', async ({ ack }) => {
        waiting += 1;
        await released;
        await ack();
      }),
    );
    const answers = Array.from({ length: 100 }, () => post(body));
    await expect.poll(() => waiting).toBe(100);
    expect(await post(body)).toEqual([503, '']);
    release();
    expect(new Set((await Promise.all(answers)).map(([status]) => status))).toEqual(new Set([200]));
    expect(await post(body)).toEqual([200, '']);
  });
});

/** Starts a request that stops in the middle of its body. */
async function startsSending(port: number) {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (data) => {
    answer += String(data);
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `POST /slack/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 900\r\nexpect: 100-continue\r\n\r\n`,
  );
  // This answer shows that the server has read the headers.
  await once(socket, 'data');
  return { socket, isAnswered: () => /^HTTP\/1.1 [2-5](?!00 Continue)/.test(answer) };
}

describe('the receiver', () => {
  it("reports why it can't start, and can be stopped anyway", async () => {
    const { port } = await startApp();
    const logger = createBoltLogger(createLogger('silent'));
    const other = createHttpReceiver({ signingSecret, host: '127.0.0.1', port, logger });
    await expect(other.start()).rejects.toThrow('EADDRINUSE');
    await other.stop();
  });
});
