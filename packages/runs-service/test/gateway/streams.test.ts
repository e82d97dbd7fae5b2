import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/databases.ts';
import { messageBody, messageEvents, openGatewayBed } from './gateway-bed.ts';

const db = useDatabase();
const path = '/anthropic/v1/messages';

const open = (answer: RequestListener, more: object = {}) =>
  openGatewayBed(db(), { answer, ...more });

describe('a stream', () => {
  it('stays open with keep-alives between two events, and never within one', async () => {
    let finish = () => {};
    const bed = await open(
      (request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(messageEvents.start);
        finish = () => {
          finish = () => {};
          response.write(messageEvents.text.slice(0, 30));
          setTimeout(() => response.end(messageEvents.text.slice(30) + messageEvents.end), 100);
        };
      },
      { keepAliveMs: 20 },
    );
    const { response } = await bed.open(path, { body: messageBody });
    let received = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
      if (received.split('"ping"').length === 4) finish();
    });
    await once(response, 'end');
    const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
    expect(received.split(ping).length).toBeGreaterThan(3);
    expect(received.replaceAll(ping, '')).toBe(
      messageEvents.start + messageEvents.text + messageEvents.end,
    );
  });

  it('is ended at the provider when the agent disconnects, and its cost is estimated', async () => {
    let ended = false;
    const bed = await open((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(messageEvents.start + messageEvents.text);
      response.on('close', () => {
        ended = true;
      });
    });
    const { sent, response } = await bed.open(path, { body: messageBody });
    await once(response, 'data');
    sent.destroy();
    await expect.poll(() => ended).toBe(true);
    const [row] = await bed.endedRows();
    expect(row).toMatchObject({ outcome: 'canceled', estimated: 1, input_tokens: 100 });
    expect(row?.price_micros).toBeGreaterThanOrEqual(row?.reserved_micros ?? 0);
    expect(bed.notes).toEqual([]);
  });

  it('ends when the access of the run ends', async () => {
    const bed = await open((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(messageEvents.start);
    });
    const { response } = await bed.open(path, { body: messageBody });
    const received = text(response).catch(() => 'cut');
    bed.close();
    expect(await received).toBe('cut');
    expect(await bed.endedRows()).toMatchObject([{ outcome: 'canceled', estimated: 1 }]);
  });

  it('is decoded if it is compressed although that was not requested', async () => {
    const all = messageEvents.start + messageEvents.text + messageEvents.end;
    const bed = await open((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(gzipSync(all));
    });
    const answer = await bed.call(path, { body: messageBody });
    expect(answer.text).toBe(all);
    expect(answer.headers).not.toHaveProperty('content-encoding');
    expect(await bed.endedRows()).toMatchObject([{ estimated: 0, output_tokens: 50 }]);
  });

  it('waits for a slow reader, so that it takes no memory', async () => {
    const chunk = Buffer.from(`: ${'x'.repeat(16_381)}\n\n`);
    const chunks = 4_096;
    let written = 0;
    const bed = await open(async (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (; written < chunks; written += 1)
        if (!response.write(chunk)) await once(response, 'drain');
      response.end();
    });
    const { response } = await bed.open(path, { body: messageBody });
    let before = -1;
    await expect
      .poll(
        () => {
          const isStuck = before === written;
          before = written;
          return isStuck;
        },
        { interval: 300 },
      )
      .toBe(true);
    expect(written * chunk.length).toBeLessThan(8 * 1024 * 1024);
    expect((await text(response)).length).toBe(chunks * chunk.length);
  });
});
