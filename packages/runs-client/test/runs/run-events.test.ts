import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EventsOptions, RunEvent } from '../../src/runs/run-events.ts';
import { sendJson, startApiServer } from '../support/api-server.ts';

const change = (id: string, at = '2026-11-21T10:00:01Z') =>
  JSON.stringify({ run_id: id, state: 'FAILED', updated_at: at });

/** Starts a service that sends these pieces as its stream. Returns the events that a client reads. */
async function read(pieces: readonly (string | Buffer)[], options: EventsOptions = {}) {
  const api = await startApiServer(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces)
      await new Promise<void>((sent) => response.write(piece, () => sent()));
    response.end();
  });
  const events: RunEvent[] = [];
  const failed = await collect(api.client().runs.events(options), events).catch((error) => error);
  return { events, failed, received: api.received };
}

async function collect(stream: AsyncIterable<RunEvent>, events: RunEvent[]): Promise<void> {
  for await (const event of stream) events.push(event);
}

const isOpen = { type: 'open', id: undefined };

describe('the events of runs', () => {
  it('are read until the service ends the stream', async () => {
    const { events, failed, received } = await read([
      ': comment\n\nevent: reset\nid: 7\ndata: {}\n\n',
      `event: change\nid: 8\ndata: ${change('a')}\n\n`,
      'event: of-a-later-version\ndata: what\n\nretry: 5\n\n',
      `event: change\ndata: ${change('b')}\n\nevent: change\ndata: ${change('never finished')}\n`,
    ]);
    expect(failed).toBeUndefined();
    expect(events).toEqual([
      isOpen,
      { type: 'reset', id: '7' },
      { type: 'change', id: '8', run: JSON.parse(change('a')) },
      { type: 'change', id: '8', run: JSON.parse(change('b')) },
    ]);
    expect(received[0]).toMatchObject({
      url: '/api/v1/agent/runs/events',
      headers: { accept: 'text/event-stream' },
    });
    expect(received[0]?.headers).not.toHaveProperty('last-event-id');
  });

  it('continue after the last one', async () => {
    const { events, received } = await read([], { lastEventId: '42' });
    expect(received[0]?.headers).toMatchObject({ 'last-event-id': '42' });
    expect(events).toEqual([{ type: 'open', id: '42' }]);
  });

  it.each(['\n', '\r\n', '\r'])('can be cut anywhere, with lines that end in %j', async (end) => {
    const text = `\ufeffevent:change${end}id: 1${end}data: ${change('ä\u2028ö')}${end}${end}`;
    const bytes = Buffer.from(`${text}${text.slice(1)}`);
    const { events } = await read([...bytes].map((byte) => Buffer.from([byte])));
    const one = { type: 'change', id: '1', run: JSON.parse(change('ä\u2028ö')) };
    // The parser waits after a lone CR, because LF may follow.
    expect(events).toEqual(end === '\r' ? [isOpen, one] : [isOpen, one, one]);
  });

  it("ignore ids that can't be sent back", async () => {
    const reset = (id: string) => `event: reset\nid: ${id}\ndata: {}\n\n`;
    const { events } = await read(['ok', 'ä', 'a\0b', 'two words', 'x'.repeat(201)].map(reset));
    expect(new Set(events.slice(1).map(({ id }) => id))).toEqual(new Set(['ok']));
  });

  it.each<[string, string[]]>([
    ['a line without an end', [`data: ${'x'.repeat(70_000)}`]],
    ['a long comment', [`:${'x'.repeat(70_000)}\n`]],
    ['an event without an end', Array.from({ length: 9 }, () => `data: ${'x'.repeat(32_000)}\n`)],
    ['a change that is no JSON', ['event: change\ndata: {"run_id":\n\n']],
    ['a change of nothing', ['event: change\ndata: {"run_id":"a"}\n\n']],
    ['a change with another type', [`event: change\ndata: [${change('a')}]\n\n`]],
  ])('end at once with %s', async (_, pieces) => {
    const { events, failed } = await read(pieces);
    expect(failed).toMatchObject({ name: 'RunsApiError', code: 'bad_response' });
    expect(failed.message).not.toContain('xxx');
    expect(events).toEqual([isOpen]);
  });
});

/** Starts a service that leaves its stream open, and reads it. Returns the events so far and a promise for the end. */
async function follow(answer: (response: ServerResponse) => unknown, options: EventsOptions = {}) {
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const api = await startApiServer((response) => {
    response.on('close', close);
    answer(response);
  });
  const events: RunEvent[] = [];
  const reading = collect(api.client().runs.events(options), events);
  return { events, closed, api, reading: reading.catch((error: unknown) => error) };
}

const stream = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

describe('a stream of events', () => {
  it.each([404, 405, 501, 400])('that a service answers with %d is not offered', async (status) => {
    const { reading, api } = await follow((response) => sendJson(response, status, {}));
    expect(await reading).toMatchObject({ name: 'RunsApiError', status });
    expect(api.received).toHaveLength(1);
  });

  it('that comes as something else is not offered, and not read', async () => {
    const { reading, closed } = await follow((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"runs":');
    });
    expect(await reading).toMatchObject({ code: 'bad_response', status: 200 });
    await closed;
  });

  it('is lost when nothing comes for too long', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { reading, closed, events } = await follow(
      (response) => stream(response).write(': here\n\n'),
      { silenceMs: 500 },
    );
    await expect.poll(() => events).toEqual([isOpen]);
    vi.advanceTimersByTime(500);
    expect(await reading).toMatchObject({ code: 'timeout', retryable: true });
    expect(events).toEqual([isOpen]);
    await closed;
  });

  it('may last longer than a call', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let end = () => {};
    const { reading, events } = await follow(
      (response) => {
        stream(response).flushHeaders();
        end = () => response.end('event: reset\ndata: {}\n\n');
      },
      { timeoutMs: 1_000 },
    );
    await expect.poll(() => events).toEqual([isOpen]);
    vi.advanceTimersByTime(1_100);
    end();
    expect(await reading).toBeUndefined();
    expect(events).toHaveLength(2);
  });

  it('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    const { reading, closed } = await follow(
      (response) => {
        stream(response).flushHeaders();
        setImmediate(() => stop.abort(new Error('enough')));
      },
      { signal: stop.signal },
    );
    expect(await reading).toMatchObject({ message: 'enough' });
    await closed;
  });

  it('tells the service when its reader has enough', async () => {
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const api = await startApiServer((response) => {
      response.on('close', close);
      stream(response).write('event: reset\ndata: {}\n\n');
    });
    for await (const { type } of api.client().runs.events()) if (type === 'reset') break;
    await closed;
  });

  it('fails with a broken connection', async () => {
    const { reading } = await follow((response) => {
      stream(response).write(': here\n\n');
      setImmediate(() => response.destroy());
    });
    expect(await reading).toMatchObject({ name: 'RunsApiError', code: 'connection' });
  });
});
