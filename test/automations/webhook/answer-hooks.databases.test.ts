import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { StoreUnavailable } from 'base/database/store-unavailable';
import { requestLimits } from 'base/http/http-limits';
import { createLogger } from 'base/logger';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { sendsEndlessly } from '../../../packages/base/test/support/bad-senders.ts';
import type { Trigger, WebhookSender } from '../../../src/automations/automation.ts';
import { createHookServer } from '../../../src/automations/webhook/answer-hooks.ts';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { createFirings } from '../../../src/store/automations/firings.ts';
import { aDefinition, anAutomation } from '../../support/automations.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const signed = (body: string | Buffer, key = secret) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
  'x-github-event': 'issues',
});

type Posted = { path?: string; headers?: Record<string, string>; method?: string };

describeOnDatabase('webhooks', (database) => {
  let woken = 0;
  beforeEach(async () => {
    woken = 0;
    for (const table of ['automations', 'automation_firings', 'installations'] as const)
      await database().deleteFrom(table).execute();
  });

  async function startHooks({
    add = createFirings(database()).add,
    logger = createLogger('silent'),
  } = {}) {
    const automations = createAutomations(database());
    const firings = createFirings(database());
    const answer = createHookServer({
      automations,
      firings: { add },
      wake: () => {
        woken += 1;
      },
      logger,
    });
    const server = createServer(requestLimits, (request, response) => {
      answer(request, response).then(
        (isAnswered) => isAnswered || response.writeHead(404).end('not found'),
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    async function post(
      body: string | Buffer,
      { path = '/hooks/hook1', headers, method }: Posted = {},
    ) {
      const response = await fetch(url + path, {
        method: method ?? 'POST',
        headers: headers ?? signed(body),
        ...(method !== 'GET' && { body: new Uint8Array(Buffer.from(body)) }),
      });
      const text = await response.text();
      return [response.status, text.startsWith('{') ? JSON.parse(text) : text];
    }
    async function create(sender: WebhookSender = 'github', id = 'hook1') {
      const trigger: Trigger = { kind: 'webhook', sender, filter: [] };
      const automation = anAutomation({ id, name: id, definition: aDefinition({ trigger }) });
      await automations.create(automation, 'U1', secret);
    }
    const stored = async () =>
      (await firings.deliveries('hook1', 100)).map(({ firing, body }) => [
        firing.content.fired,
        body,
      ]);
    return { automations, firings, port, url, post, create, stored };
  }

  const accepted = [202, { delivery: expect.stringMatching(/^[\w-]{43}$/) }];
  const denied = [401, { error: expect.stringContaining('signature') }];

  it('stores a delivery before it acknowledges it, and wakes the worker once', async () => {
    const { post, create, stored } = await startHooks();
    await create();
    const body = '{"action":"opened","title":"<@U1> *é* \\u0000"}';
    expect(await post(body)).toEqual(accepted);
    expect(await stored()).toEqual([
      [expect.objectContaining({ kind: 'webhook', event: 'issues' }), body],
    ]);
    expect(await post(body)).toEqual(accepted);
    expect(await stored()).toHaveLength(1);
    expect(woken).toBe(1);
  });

  it('stores one of many simultaneous repeats', async () => {
    const { post, create, stored } = await startHooks();
    await create();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('{}')));
    expect(answers).toEqual(answers.map(() => accepted));
    expect(await stored()).toHaveLength(1);
    expect(woken).toBe(1);
  });

  it('answers an unknown address like a wrong signature', async () => {
    const { automations, post, create, stored } = await startHooks();
    await create();
    const wrong = await post('{}', { headers: signed('{ }') });
    expect(wrong).toEqual(denied);
    expect(await post('{}', { path: '/hooks/other' })).toEqual(wrong);
    expect(await post('{}', { headers: {} })).toEqual(wrong);
    expect(await post('{}', { headers: signed('{}', '') })).toEqual(wrong);
    await automations.remove('hook1', 'U1');
    expect(await post('{}')).toEqual(wrong);
    expect(await stored()).toEqual([]);
    expect(woken).toBe(0);
  });

  it('accepts the earlier secret after a replacement', async () => {
    const { automations, post, create } = await startHooks();
    await create();
    await automations.replaceSecret('hook1', 'a-new-secret', 'U1');
    expect(await post('{"a":1}')).toEqual(accepted);
    expect(await post('{"a":2}', { headers: signed('{"a":2}', 'a-new-secret') })).toEqual(accepted);
  });

  it('accepts deliveries of a paused automation, so that senders keep sending, without their bodies', async () => {
    const { automations, firings, post, create, stored } = await startHooks();
    await create();
    await automations.pause('hook1', { code: 'person', sentence: '', by: 'U1', at: 1 });
    expect(await post('{}')).toEqual(accepted);
    expect(await stored()).toEqual([]);
    const history = await firings.history({ teamId: 'T1', userId: 'U1' }, 'hook1', { limit: 2 });
    expect(history.map(({ firing }) => [firing.state, firing.reason])).toEqual([
      ['skipped', 'The automation is paused.'],
    ]);
    expect(woken).toBe(0);
  });

  it('accepts a curl line with a bearer token', async () => {
    const { post, create, stored } = await startHooks();
    await create('bearer');
    const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': 'deploy-7' };
    expect(await post('{}', { headers })).toEqual([202, { delivery: 'deploy-7' }]);
    expect(await post('{}', { headers })).toEqual([202, { delivery: 'deploy-7' }]);
    expect(await stored()).toHaveLength(1);
  });

  it('never mistakes the secret of one automation for another one', async () => {
    const { automations, post, create } = await startHooks();
    await create('bearer');
    await create('bearer', 'hook2');
    await automations.replaceSecret('hook2', 'secret-of-the-second', 'U1');
    const headers = { authorization: 'Bearer secret-of-the-second' };
    expect(await post('{}', { headers })).toEqual(denied);
    expect(await post('{}', { headers, path: '/hooks/hook2' })).toEqual([202, expect.anything()]);
  });

  it.each([
    ['no JSON', 'action=opened'],
    ['nothing', ''],
    ['another charset', Buffer.from('{"a":"é"}', 'latin1')],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['a byte order mark', '\ufeff{}'],
    ['a form', `payload=${encodeURIComponent('{}')}`],
    ['a deep nest', `${'['.repeat(200)}${']'.repeat(200)}`],
    ['half a megabyte of brackets', '['.repeat(512 * 1024)],
  ])('rejects a signed body of %s', async (_, body) => {
    const { post, create, stored } = await startHooks();
    await create();
    expect(await post(body)).toEqual([400, { error: expect.stringContaining('JSON') }]);
    expect(await stored()).toEqual([]);
  });

  it('accepts a body of exactly 1 MiB and rejects a larger one', async () => {
    const { post, create, stored } = await startHooks();
    await create();
    const body = JSON.stringify('x'.repeat(1024 * 1024 - 2));
    expect(await post(body)).toEqual(accepted);
    expect(await post(`${body} `)).toEqual([413, { error: expect.stringContaining('1 MiB') }]);
    expect(await stored()).toHaveLength(1);
  });

  it('stops reading an endless body', async () => {
    const { url, create } = await startHooks();
    await create();
    const cut = await sendsEndlessly({ url: `${url}/hooks/hook1` });
    expect(cut.reply).toMatch(/^HTTP\/1.1 413 /);
    expect(cut.sentBytes).toBeLessThan(32 * 1024 * 1024);
  });

  it('reads a chunked body', async () => {
    const { url, create, stored } = await startHooks();
    await create();
    async function* chunks() {
      for (const chunk of ['{"a"', ':', '1}']) yield Buffer.from(chunk);
    }
    const response = await fetch(`${url}/hooks/hook1`, {
      method: 'POST',
      headers: signed('{"a":1}'),
      body: ReadableStream.from(chunks()),
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(202);
    expect((await stored()).map(([, body]) => body)).toEqual(['{"a":1}']);
  });

  it('stores nothing of a body that is cut', async () => {
    const { port, post, create, stored } = await startHooks();
    await create();
    const socket = connect(port, '127.0.0.1');
    const head = `POST /hooks/hook1 HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n`;
    const sent = Object.entries(signed('{}')).map(([name, value]) => `${name}: ${value}\r\n`);
    await new Promise<void>((resolve) =>
      socket.write(`${head}${sent.join('')}\r\n{}`, () => resolve()),
    );
    socket.destroy();
    expect(await post('{"a":1}')).toEqual(accepted);
    expect(await stored()).toHaveLength(1);
  });

  it.each([
    ['GET', '/hooks/hook1', 405],
    ['PUT', '/hooks/hook1', 405],
    ['POST', '/hooks', 404],
    ['POST', '/hooks/', 404],
    ['POST', '/hooks/hook1/more', 404],
    ['POST', '/hooks/../hooks/%2e%2e', 404],
    ['POST', `/hooks/${'x'.repeat(101)}`, 404],
    ['POST', '/hooks/__proto__', 401],
    ['POST', '/hooks/hook1?secret=1', 202],
  ])('answers %s %s with %i', async (method, path, status) => {
    const { post, create } = await startHooks();
    await create();
    expect((await post('{}', { method, path }))[0]).toBe(status);
  });

  it('asks the sender to try again while the store is down', async () => {
    let isDown = true;
    const { add } = createFirings(database());
    const { post, create, stored } = await startHooks({
      add: async (...delivery) => {
        if (isDown) throw new StoreUnavailable('unknown');
        return add(...delivery);
      },
    });
    await create();
    expect(await post('{}')).toEqual([503, { error: expect.stringContaining('Try again') }]);
    isDown = false;
    expect(await post('{}')).toEqual(accepted);
    expect(await stored()).toHaveLength(1);
  });

  it('logs an unexpected error, and asks the sender to try again', async () => {
    const lines: string[] = [];
    const { post, create } = await startHooks({
      add: async () => {
        throw new Error('another encryption key');
      },
      logger: createLogger('info', { write: (line) => void lines.push(line) }),
    });
    await create();
    expect(await post('{}')).toEqual([503, { error: expect.stringContaining('Try again') }]);
    expect(lines.join()).toMatch(/another encryption key.*"automation":"hook1"/);
  });

  it('stores a delivery once if its commit succeeds but the answer to that is lost', async () => {
    let isLost = true;
    const { add } = createFirings(database());
    const { post, create, stored } = await startHooks({
      add: async (...delivery) => {
        const isNew = await add(...delivery);
        if (!isLost) return isNew;
        isLost = false;
        throw new StoreUnavailable('unknown');
      },
    });
    await create();
    expect((await post('{}'))[0]).toBe(503);
    expect(await post('{}')).toEqual(accepted);
    expect(await stored()).toHaveLength(1);
  });

  it('limits the deliveries of a webhook, and not those of others', async () => {
    const { post, create, url } = await startHooks();
    await create('bearer');
    await create('bearer', 'hook2');
    const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': 'same' };
    const statuses = new Set<number>();
    for (let batch = 0; batch < 13; batch += 1) {
      const answers = Array.from({ length: 50 }, () => post('{}', { headers }));
      for (const [status] of await Promise.all(answers)) statuses.add(status);
    }
    expect([...statuses]).toEqual([202, 429]);
    const late = await fetch(`${url}/hooks/hook1`, { method: 'POST', headers, body: '{}' });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post('{}', { headers, path: '/hooks/hook2' }))[0]).toBe(202);
    expect((await post('{}', { headers: {} }))[0]).toBe(401);
  });

  it('closes slow requests for real ones, and keeps no more than a hundred open', async () => {
    const { port, post, create } = await startHooks();
    await create();
    const sockets = Array.from({ length: 120 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write('POST /hooks/hook1 HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{');
      return socket;
    });
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    await Promise.any(closed);
    expect(await post('{}')).toEqual(accepted);
  });
});
