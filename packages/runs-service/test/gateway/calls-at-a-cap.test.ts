import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { ModelApi } from '../../src/environments/models-config.ts';
import type { Hold, HoldOutcome } from '../../src/gateway/hold.ts';
import { createModelCalls } from '../../src/store/model-calls.ts';
import { useDatabase } from '../support/databases.ts';
import { aCap } from '../support/service/model-call-builder.ts';
import {
  answerMessage,
  messageBody,
  messageEvents,
  openGatewayBed,
  realKey,
} from './gateway-bed.ts';

const db = useDatabase();
const path = '/anthropic/v1/messages';

/** Opens a gateway for a run whose cap is used up after its first call. A test decides what a person answers. */
async function openAtCap(more: Partial<Parameters<typeof openGatewayBed>[1]> = {}) {
  const seen: string[] = [];
  const keys: unknown[] = [];
  const waiting: { decide: (outcome: HoldOutcome) => void; signal: AbortSignal }[] = [];
  const hold: Hold = ({ signal, onHeld, onReleased }) =>
    new Promise((resolve) => {
      onHeld();
      const decide = (outcome: HoldOutcome) => {
        onReleased();
        resolve(outcome);
      };
      signal.addEventListener('abort', () => decide({ outcome: 'gone' }), { once: true });
      waiting.push({ decide, signal });
    });
  const caps = [aCap({ key: `person:${Math.random()}`, limitMicros: 1, name: 'Ada' })];
  const bed = await openGatewayBed(db(), {
    answer(request, response) {
      seen.push(request.url ?? '');
      keys.push(request.headers['x-api-key']);
      request.resume();
      answerMessage(response);
    },
    hold,
    ...more,
    access: { caps, ...more.access },
  });
  /** Raises the cap, and lets the call continue. */
  const allow = () => {
    for (const cap of caps) cap.limitMicros = 1e9;
    waiting.shift()?.decide({ outcome: 'allowed' });
  };
  const first = await bed.call(path, { body: messageBody });
  expect(first.status).toBe(200);
  await bed.gateway.whenIdle(bed.runId);
  seen.length = 0;
  return { ...bed, seen, keys, waiting, allow };
}

describe('a call at a cap', () => {
  it('waits without headers, and continues when a person allows more', async () => {
    const bed = await openAtCap();
    const answer = bed.call(path, { body: messageBody });
    await expect.poll(() => bed.waiting.length).toBe(1);
    expect(bed.clock).toEqual(['pause']);
    expect(bed.seen).toEqual([]);
    bed.allow();
    expect(await answer).toMatchObject({ status: 200 });
    expect(bed.clock).toEqual(['pause', 'resume']);
    expect(bed.seen).toHaveLength(1);
  });

  it('is sent with the key that its file has after the wait', async () => {
    const bed = await openAtCap();
    const answer = bed.call(path, { body: messageBody });
    await expect.poll(() => bed.waiting.length).toBe(1);
    writeFileSync(bed.keyFile, 'a-new-key');
    bed.allow();
    expect((await answer).status).toBe(200);
    expect(bed.keys).toEqual([realKey, 'a-new-key']);
  });

  it('is rejected with a status when a person stops the run', async () => {
    const bed = await openAtCap();
    const answer = bed.call(path, { body: messageBody });
    await expect.poll(() => bed.waiting.length).toBe(1);
    bed.waiting.shift()?.decide({ outcome: 'stopped', message: 'Ada stopped this run.' });
    const { status, text: body, headers } = await answer;
    expect(status).toBe(402);
    expect(headers['x-should-retry']).toBe('false');
    expect(JSON.parse(body).error).toEqual({
      type: 'billing_error',
      message: 'Ada stopped this run.',
    });
    expect(bed.stopped).toEqual(['Ada stopped this run.']);
    expect(bed.seen).toEqual([]);
  });

  it('gets keep-alives if its program needs headers earlier, then the response', async () => {
    const bed = await openAtCap({ access: { headersWithinMs: 20 }, keepAliveMs: 20 });
    const { response } = await bed.open(path, { body: messageBody });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/event-stream');
    let received = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
    });
    const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
    await expect.poll(() => received.split(ping).length).toBeGreaterThan(3);
    expect(received.replaceAll(ping, '')).toBe('');
    bed.allow();
    await once(response, 'end');
    expect(received.replaceAll(ping, '')).toBe(
      messageEvents.start + messageEvents.text + messageEvents.end,
    );
  });

  it.each<[ModelApi, string, string, RegExp]>([
    ['anthropic', path, messageBody, /event: error\ndata: .*"billing_error".*Stop it\./],
    [
      'openai',
      '/openai/v1/responses',
      '{"model":"m","stream":true}',
      /event: response\.failed\ndata: .*"invalid_prompt","message":"Stop it\."/,
    ],
    [
      'openai',
      '/openai/v1/chat/completions',
      '{"model":"m","stream":true}',
      /data: \{"error":\{"message":"Stop it\."/,
    ],
    [
      'gemini',
      '/gemini/v1beta/models/m:streamGenerateContent?alt=sse',
      '{}',
      /^\n+\{"error":\{"code":403,"message":"Stop it\."/,
    ],
  ])('of %s is rejected in its stream %s if that has begun', async (api, to, body, rejection) => {
    const bed = await openGatewayBed(db(), {
      provider: { api },
      access: { headersWithinMs: 1, caps: [aCap({ key: `x:${Math.random()}`, limitMicros: 0 })] },
      keepAliveMs: 5,
      hold: async ({ signal }) => {
        await new Promise((done) => setTimeout(done, 50));
        return signal.aborted ? { outcome: 'gone' } : { outcome: 'stopped', message: 'Stop it.' };
      },
      answer: () => undefined,
    });
    const answer = await bed.call(to, { body });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(rejection);
  });

  it('without a stream is rejected with a status when its program cannot wait longer', async () => {
    const bed = await openAtCap({ access: { headersWithinMs: 20 } });
    const answer = await bed.call(path, { body: '{"model":"claude-opus-5-5"}' });
    expect(answer.status).toBe(402);
    expect(JSON.parse(answer.text).error.message).toMatch(/^Ada has spent .* waits for a person/);
    expect(bed.waiting[0]?.signal.aborted).toBe(true);
    expect(bed.clock).toEqual(['pause', 'resume']);
    expect(bed.stopped).toEqual([]);
  });

  it('is dropped when the agent disconnects, and nothing is sent', async () => {
    const bed = await openAtCap();
    const opened = bed.open(path, { body: messageBody }).catch(() => undefined);
    await expect.poll(() => bed.waiting.length).toBe(1);
    bed.close();
    await bed.gateway.whenIdle(bed.runId);
    await opened.catch(() => undefined);
    expect(bed.seen).toEqual([]);
    expect(await bed.rows()).toHaveLength(1);
  });

  it('is not held if it costs nothing', async () => {
    const bed = await openAtCap({
      answer(request, response) {
        request.resume();
        if (request.url?.includes('count_tokens')) response.end('{"input_tokens":3}');
        else answerMessage(response);
      },
    });
    const answer = await bed.call(`${path}/count_tokens`, { body: '{"model":"m"}' });
    expect(answer).toMatchObject({ status: 200, text: '{"input_tokens":3}' });
    expect(await bed.endedRows()).toHaveLength(1);
  });

  it('is cut if its stream has begun and the provider fails, so that the agent tries again', async () => {
    const bed = await openGatewayBed(db(), {
      access: { headersWithinMs: 1 },
      answer(request, response) {
        request.resume();
        setTimeout(() => response.writeHead(529).end('{}'), 50);
      },
    });
    const { response } = await bed.open(path, { body: messageBody });
    expect(response.statusCode).toBe(200);
    expect(await text(response).catch(() => 'cut')).toBe('cut');
  });
});

describe('bodies of calls at a cap', () => {
  const mib = 1024 * 1024;
  const bodyOf = (bytes: number) =>
    messageBody.replace('say hi', 'x'.repeat(bytes - messageBody.length));
  const busy = { status: 503, headers: { 'retry-after': '5' } };

  it('take up at most 16 MiB for a run, and never the memory of calls that can be sent', async () => {
    const bed = await openAtCap();
    const held = [1, 2].map(() => bed.call(path, { body: bodyOf(7 * mib) }));
    await expect.poll(() => bed.waiting.length).toBe(2);
    expect(await bed.call(path, { body: bodyOf(7 * mib) })).toMatchObject(busy);
    expect(bed.waiting).toHaveLength(2);
    const free = { body: bodyOf(60 * mib) };
    expect((await bed.call(`${path}/count_tokens`, free)).status).toBe(200);
    bed.allow();
    bed.allow();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('give their memory back when their calls end', async () => {
    const bed = await openAtCap();
    for (let count = 1; count <= 3; count += 1) {
      const answer = bed.call(path, { body: bodyOf(15 * mib) });
      await expect.poll(() => bed.waiting.length).toBe(1);
      bed.waiting.shift()?.decide({ outcome: 'stopped', message: 'No.' });
      expect((await answer).status).toBe(402);
      expect(await bed.call(path, { body: bodyOf(17 * mib) })).toMatchObject(busy);
    }
    expect((await bed.call(`${path}/count_tokens`, { body: bodyOf(60 * mib) })).status).toBe(200);
  });
});

describe('a call while the store is down', () => {
  it('is rejected so that the agent tries again, and is not sent', async () => {
    const released: string[] = [];
    let requests = 0;
    const calls = createModelCalls(db());
    const bed = await openGatewayBed(db(), {
      answer: () => {
        requests += 1;
      },
      calls: {
        ...calls,
        reserve: () => Promise.reject(new Error('database is down')),
        release: async (id) => void released.push(id),
      },
    });
    const answer = await bed.call(path, { body: messageBody });
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(answer.text).not.toContain('database is down');
    expect(requests).toBe(0);
    expect(released).toHaveLength(1);
  });
});
