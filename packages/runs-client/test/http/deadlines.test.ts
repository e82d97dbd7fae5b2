import { afterEach, describe, expect, it, vi } from 'vitest';
import { aRun, sendJson, startApiServer, testKey } from '../support/api-server.ts';

/** Creates a promise that a test resolves later. */
function event() {
  let happen = () => {};
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happen, happened };
}

describe('the deadline of a call', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  /** Stops the clock of calls, so that a busy machine can't affect the test. Returns a function that advances it. */
  const holdTime = (...more: ('setTimeout' | 'clearTimeout')[]) => {
    // Stop clock and timers together, because a call that is out of time isn't repeated.
    vi.useFakeTimers({ toFake: ['performance', ...more] });
    return (ms: number) => vi.advanceTimersByTime(ms);
  };

  it('really ends a request that is not answered', async () => {
    const pass = holdTime('setTimeout', 'clearTimeout');
    const gone = event();
    const api = await startApiServer((response) => {
      response.on('close', gone.happen);
      pass(50);
    });
    const call = api.client({ timeoutMs: 50 }).runs.get('r');
    await expect(call).rejects.toMatchObject({ code: 'timeout', sent: true, retryable: true });
    await gone.happened;
    expect(api.received).toHaveLength(1);
  });

  it('holds for a body that comes byte by byte', async () => {
    const pass = holdTime('setTimeout', 'clearTimeout');
    const gone = event();
    let bytes = 0;
    const api = await startApiServer((response) => {
      const drip = () => {
        if (response.destroyed) return;
        bytes += 1;
        response.write(' ');
        pass(10);
        setImmediate(drip);
      };
      response.on('close', gone.happen).on('error', () => {});
      drip();
    });
    const call = api.client({ timeoutMs: 80 }).runs.get('r');
    await expect(call).rejects.toMatchObject({ code: 'timeout' });
    await gone.happened;
    expect(bytes).toBeGreaterThanOrEqual(8);
  });

  it.each([
    ['all attempts', 1, 3],
    ['the waits between them', 30_000, 2],
  ])('holds for %s', async (_, waitMs, sent) => {
    const pass = holdTime();
    // Three attempts of 40 s don't fit into 100 s. Nor do two attempts and a wait of 30 s.
    const api = await startApiServer((response, _request, count) => {
      pass(40_000);
      sendJson(response, 503, {}, { 'retry-after-ms': String(count === 1 ? 1 : waitMs) });
    });
    const call = api.client({ maxRetries: 1_000 }).runs.get('r', { timeoutMs: 100_000 });
    await expect(call).rejects.toMatchObject({ code: 'server_error', retryAfterMs: waitMs });
    expect(api.received).toHaveLength(sent);
  });

  it('holds while a key is fetched', async () => {
    const api = await startApiServer((response) => sendJson(response, 200, aRun()));
    const client = api.client({
      apiKey: () => new Promise(() => {}),
      timeoutMs: 30,
      maxRetries: 0,
    });
    await expect(client.runs.get('r')).rejects.toMatchObject({ code: 'timeout', sent: false });
  });

  it('proves that nothing was sent when every connection was busy', async () => {
    const api = await startApiServer(() => {});
    const client = api.client({ maxRetries: 0 });
    const stop = new AbortController();
    const busy = Array.from({ length: 64 }, () =>
      client.runs.get('busy', { signal: stop.signal }).catch(() => 'ended'),
    );
    const queued = client.runs.get('queued', { timeoutMs: 50 });
    await expect(queued).rejects.toMatchObject({ code: 'timeout', sent: false });
    stop.abort();
    await Promise.all(busy);
    expect(api.received.filter((each) => each.url.endsWith('queued'))).toEqual([]);
  });

  it('does not end a raw body that is being read', async () => {
    const pass = holdTime('setTimeout', 'clearTimeout');
    const more = event();
    const api = await startApiServer(async (response) => {
      response.write('first ');
      await more.happened;
      response.end('last');
    });
    const raw = await api.client().get('/x', { timeoutMs: 500 }).asResponse();
    let read = '';
    pass(700);
    more.happen();
    for await (const chunk of raw.body) read += chunk;
    expect(read).toBe('first last');
  });
});

describe('an abort', () => {
  it('fails with the reason of the caller', async () => {
    const arrived = event();
    const gone = event();
    const api = await startApiServer((response) => {
      response.on('close', gone.happen);
      arrived.happen();
    });
    const stop = new AbortController();
    const call = api.client().runs.get('r', { signal: stop.signal });
    await arrived.happened;
    const reason = new Error('the user has left');
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    await gone.happened;
  });

  it('before the call sends nothing', async () => {
    const api = await startApiServer((response) => sendJson(response, 200, aRun()));
    const call = api.client().runs.get('r', { signal: AbortSignal.abort('no') });
    await expect(call).rejects.toBe('no');
    expect(api.received).toEqual([]);
  });

  it('ends the wait before a retry', async () => {
    const stop = new AbortController();
    const api = await startApiServer((response) => {
      sendJson(response, 503, {}, { 'retry-after': '30' });
      setTimeout(() => stop.abort('enough'), 10);
    });
    await expect(api.client().runs.get('r', { signal: stop.signal })).rejects.toBe('enough');
    expect(api.received).toHaveLength(1);
  });

  it('stops hundreds of calls by one signal without a warning from Node', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const api = await startApiServer(() => {});
    const client = api.client({ apiKey: async () => testKey });
    const stop = new AbortController();
    const calls = Array.from({ length: 200 }, () =>
      client.runs.get('r', { signal: stop.signal }).catch((reason: unknown) => reason),
    );
    await client.runs.get('r', { timeoutMs: 20 }).catch(() => {});
    stop.abort('enough');
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['enough']));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });

  it('ends a raw body', async () => {
    const stop = new AbortController();
    const api = await startApiServer((response) => response.write('x'));
    const raw = await api.client().get('/x', { signal: stop.signal }).asResponse();
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(raw.body.toArray()).rejects.toBe(reason);
  });
});

describe('closing the client', () => {
  it('ends open calls; a raw body that nothing reads does not end the process', async () => {
    const api = await startApiServer((response, { url }) => {
      if (url.endsWith('raw')) response.write('x');
    });
    const client = api.client();
    const raw = await client.get('/raw').asResponse();
    const hanging = client.runs.get('r').catch((error: unknown) => error);
    await client.close();
    expect(await hanging).toMatchObject({ code: 'closed' });
    await expect(raw.body.toArray()).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a retry', () => {
  it('carries the number of its attempt', async () => {
    const api = await startApiServer((response, _, count) =>
      count < 3
        ? sendJson(response, 500, {}, { 'retry-after-ms': '1' })
        : sendJson(response, 200, aRun()),
    );
    await api.client().runs.get('r');
    const numbers = api.received.map((each) => each.headers['x-attempt-number']);
    expect(numbers).toEqual([undefined, '2', '3']);
  });

  it('repeats what is safe to repeat after a broken connection', async () => {
    const api = await startApiServer((response, _, count) =>
      count === 1 ? response.destroy() : sendJson(response, 200, aRun()),
    );
    expect(await api.client().runs.get('r')).toMatchObject({ run_id: 'run-1' });
  });

  it.each([
    ['a POST', (c: Client) => c.post('/x')],
    ['a PATCH', (c: Client) => c.patch('/x')],
    ['a follow-up', (c: Client) => c.runs.followUp('r', 'x')],
  ])('does not follow a broken connection for %s', async (_, call) => {
    const api = await startApiServer((response) => response.destroy());
    await expect(call(api.client())).rejects.toMatchObject({ code: 'connection' });
    expect(api.received).toHaveLength(1);
  });

  it('can be requested by a caller who knows that repeating is safe', async () => {
    const api = await startApiServer((response, _, count) =>
      count === 1 ? response.destroy() : sendJson(response, 200, {}),
    );
    await api.client().post('/x', { repeatable: true });
    expect(api.received).toHaveLength(2);
  });

  it('takes "already ended" as success if the response to the first cancel was lost', async () => {
    const api = await startApiServer((response, { method }, count) => {
      if (count === 1) response.destroy();
      else if (method === 'POST') sendJson(response, 400, { detail: 'already ended' });
      else sendJson(response, 200, aRun({ state: 'CANCELLED' }));
    });
    expect(await api.client().runs.cancel('r')).toEqual({ run_id: 'r' });
  });

  it('fails with "already ended" if the run had another outcome', async () => {
    const api = await startApiServer((response, { method }, count) => {
      if (count === 1) response.destroy();
      else if (method === 'POST') sendJson(response, 400, { detail: 'already ended' });
      else sendJson(response, 200, aRun({ state: 'SUCCEEDED' }));
    });
    await expect(api.client().runs.cancel('r')).rejects.toMatchObject({ code: 'bad_request' });
  });
});

type Client = ReturnType<Awaited<ReturnType<typeof startApiServer>>['client']>;
