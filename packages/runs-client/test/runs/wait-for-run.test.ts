import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/contract.ts';
import { aRun, sendJson, startApiServer } from '../support/api-server.ts';

/** Starts a service that sends these responses in turn and repeats the last one. */
function answering(...answers: (Partial<Run> | number | 'hang up' | 'HTML')[]) {
  return startApiServer((response, _, count) => {
    const answer = answers[Math.min(count, answers.length) - 1];
    if (answer === 'hang up') response.destroy();
    else if (answer === 'HTML') response.end('<html>');
    else if (typeof answer === 'number') sendJson(response, answer, {}, { 'retry-after-ms': '2' });
    else sendJson(response, 200, aRun(answer));
  });
}

describe('waiting for a run', () => {
  it.each(['SUCCEEDED', 'FAILED', 'ERROR', 'CANCELLED'])('ends with %s', async (state) => {
    const api = await answering({ state: 'QUEUED' }, { state: 'INPROGRESS' }, { state });
    const run = await api.client().runs.wait('r', { pollMs: 1 });
    expect(run.state).toBe(state);
    expect(api.received).toHaveLength(3);
  });

  it('treats an unknown state as active', async () => {
    const api = await answering(
      { state: 'DREAMING' },
      { state: 'BLOCKED' },
      { state: 'SUCCEEDED' },
    );
    expect(await api.client().runs.wait('r', { pollMs: 1 })).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('reports the first state and each change once', async () => {
    const api = await answering(
      { state: 'QUEUED' },
      { state: 'QUEUED' },
      500,
      { state: 'QUEUED' },
      { state: 'FAILED' },
    );
    const seen: string[] = [];
    await api.client().runs.wait('r', { pollMs: 1, onChange: (run) => seen.push(run.state) });
    expect(seen).toEqual(['QUEUED', 'FAILED']);
  });

  it('survives outages', async () => {
    const api = await answering('hang up', 503, 'HTML', 429, 502, { state: 'SUCCEEDED' });
    expect(await api.client().runs.wait('r', { pollMs: 1 })).toMatchObject({ state: 'SUCCEEDED' });
    expect(api.received).toHaveLength(6);
  });

  it.each([
    [404, 'not_found'],
    [401, 'unauthorized'],
  ])('ends with a rejection (%i)', async (status, code) => {
    const api = await answering(status);
    await expect(api.client().runs.wait('r', { pollMs: 1 })).rejects.toMatchObject({ code });
  });

  it('ends if the service never keeps the contract', async () => {
    const api = await answering('HTML');
    const wait = api.client().runs.wait('r', { pollMs: 1 });
    await expect(wait).rejects.toMatchObject({ code: 'bad_response' });
  });

  it('waits as long as the service asks', async () => {
    const stop = new AbortController();
    const api = await startApiServer((response) => {
      sendJson(response, 429, {}, { 'retry-after': '60' });
      setTimeout(() => stop.abort('enough'), 60);
    });
    const wait = api.client().runs.wait('r', { pollMs: 1, signal: stop.signal });
    await expect(wait).rejects.toBe('enough');
    expect(api.received).toHaveLength(1);
  });

  it('fails with what its listener throws', async () => {
    const api = await answering({});
    const onChange = () => {
      throw new Error('a bug of the caller');
    };
    await expect(api.client().runs.wait('r', { onChange })).rejects.toThrow('a bug of the caller');
  });
});

describe('a limit for the wait', () => {
  it('ends it with a timeout, and the run continues', async () => {
    const api = await answering({ state: 'INPROGRESS' });
    const { runs } = api.client();
    const error = { code: 'timeout', retryable: true, message: expect.stringMatching(/20 ms/) };
    await expect(runs.wait('r', { pollMs: 5, timeoutMs: 20 })).rejects.toMatchObject(error);
    expect(api.received.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('leaves the reason of a signal, and an end that comes in time, as they are', async () => {
    const api = await answering({ state: 'SUCCEEDED' });
    const { runs } = api.client();
    expect((await runs.wait('r', { timeoutMs: 60_000 })).state).toBe('SUCCEEDED');
    const signal = AbortSignal.abort('enough');
    await expect(runs.wait('r', { timeoutMs: 60_000, signal })).rejects.toBe('enough');
  });
});

describe('createAndWait', () => {
  it('starts a run and returns its end', async () => {
    const api = await startApiServer((response, { method }) =>
      sendJson(response, 200, method === 'POST' ? { run_id: 'r', state: 'QUEUED' } : ended),
    );
    const ended = aRun({ state: 'SUCCEEDED' });
    const options = { idempotencyKey: 'k', timeoutMs: 60_000 };
    const run = await api.client().runs.createAndWait({ prompt: 'x' }, options);
    expect(run.state).toBe('SUCCEEDED');
    expect(api.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/v1/agent/run',
      'GET /api/v1/agent/runs/r',
    ]);
    expect(api.received[0]?.headers['idempotency-key']).toBe('k');
  });

  it('has one limit for both', async () => {
    const api = await startApiServer((response, { method }) =>
      sendJson(response, 200, method === 'POST' ? { run_id: 'r', state: 'QUEUED' } : aRun()),
    );
    const waiting = api.client().runs.createAndWait({ prompt: 'x' }, { timeoutMs: 300, pollMs: 5 });
    await expect(waiting).rejects.toMatchObject({ code: 'timeout' });
  });
});
