import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/contract.ts';
import { aRun, sendJson, startApiServer } from '../support/api-server.ts';

/** A service that gives these answers in turn and repeats the last one. */
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
  ])('ends with a refusal (%i)', async (status, code) => {
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
