import { createLogger } from 'base/logger';
import type { RunEvent } from 'runs-client/runs/run-events';
import { RunsApiError, type RunsApiErrorCode } from 'runs-client/runs-api-error';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Listener, type ListenerDeps } from '../../src/following/listening/listener.ts';
import { aRequest, aRun } from '../support/builders.ts';

type Sent = RunEvent | Error | 'end';

/** Creates a stream that a test feeds with events. */
function aStream() {
  const sent: Sent[] = [];
  let wake = () => {};
  return {
    send(...events: Sent[]) {
      sent.push(...events);
      wake();
    },
    async *read(signal?: AbortSignal): AsyncGenerator<RunEvent, void, undefined> {
      signal?.addEventListener('abort', () => wake(), { once: true });
      for (;;) {
        signal?.throwIfAborted();
        const next = sent.shift();
        if (next === 'end') return;
        if (next instanceof Error) throw next;
        if (next) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

const open: RunEvent = { type: 'open', id: undefined };
const reset: RunEvent = { type: 'reset', id: '1' };
const change = (run_id: string, second = 30): RunEvent => ({
  type: 'change',
  id: '2',
  run: { run_id, state: 'FAILED', updated_at: `2026-11-01T12:00:${second}.000Z` },
});
const failure = (code: RunsApiErrorCode, status?: number) =>
  new RunsApiError({ code, status, message: '' });

/** Starts a listener that follows run-1. Only the test advances the time. */
function start() {
  const streams: ReturnType<typeof aStream>[] = [];
  const wake = vi.fn(async () => undefined);
  const asked = vi.fn();
  const parts = {
    connectionId: 'default',
    runs: async () => ({
      events({ signal }: { signal?: AbortSignal } = {}) {
        const stream = aStream();
        streams.push(stream);
        return stream.read(signal);
      },
    }),
    connections: { wake, find: async () => ({ mode: 'changes', watermark: null }) },
    followed: {
      async ofRuns(runIds: readonly string[]) {
        asked(runIds);
        return runIds.includes('run-1') ? [aRequest({ run: aRun(), pendingUpdate: null })] : [];
      },
      pollNow: async () => undefined,
    },
    wakeFollower: vi.fn(),
    logger: createLogger('silent'),
  };
  const listener = new Listener(parts as unknown as ListenerDeps);
  listener.start();
  onTestFinished(() => listener.stop());
  const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
  /** Number of sweeps requested since the last call. */
  const sweeps = () => wake.mock.calls.splice(0).length;
  const stream = () => streams.at(-1) as ReturnType<typeof aStream>;
  /** Opens a stream and waits for the sweep that follows. */
  async function begin() {
    await settle();
    stream().send(open);
    await settle(1_000);
    expect(sweeps()).toBe(1);
    expect(listener.isListening).toBe(true);
  }
  return { parts, listener, streams, stream, settle, sweeps, wake, asked, begin };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a listener', () => {
  it('has a sweep made at once for a change of a followed run, and for no other', async () => {
    const { begin, stream, settle, sweeps } = start();
    await begin();
    stream().send(change('of-someone-else'));
    await settle(1_000);
    expect(sweeps()).toBe(0);
    stream().send(change('run-1'));
    await settle();
    expect(sweeps()).toBe(1);
  });

  it('has one sweep made for many changes at a time', async () => {
    const { begin, stream, settle, sweeps, asked } = start();
    await begin();
    for (let second = 10; second < 60; second += 1) {
      stream().send(change('run-1', second), change(`other-${second}`));
      await settle(1);
    }
    await settle(1_000);
    expect(sweeps()).toBeLessThanOrEqual(3);
    expect(asked.mock.calls.length).toBeLessThanOrEqual(3);
  });

  it('has a sweep made after a reset, and after a flood of changes that it does not look up', async () => {
    const { begin, stream, settle, sweeps, asked } = start();
    await begin();
    stream().send(reset);
    await settle(1_000);
    expect(sweeps()).toBe(1);
    stream().send(...Array.from({ length: 12_000 }, (_, index) => change(`run-of-${index}`)));
    await settle(1_000);
    expect(sweeps()).toBeGreaterThan(0);
    for (const [ids] of asked.mock.calls) expect(ids.length).toBeLessThanOrEqual(5_000);
  });

  it.each<[string, Sent]>([
    ['ends', 'end'],
    ['breaks', failure('connection')],
    ['is silent', failure('timeout')],
    ['has an event outside of the contract', failure('bad_response', 200)],
    ['is rejected from now on', failure('unauthorized', 401)],
  ])(
    'has a sweep made at once, and all later ones as usual, when the stream %s',
    async (_, end) => {
      const { begin, stream, settle, sweeps, listener } = start();
      await begin();
      stream().send(end);
      await settle();
      expect(listener.isListening).toBe(false);
      expect(sweeps()).toBe(1);
    },
  );

  it('opens another stream with backoff, as late as the service asks', async () => {
    const { settle, stream, streams, sweeps } = start();
    await settle();
    const triesWithin: number[] = [];
    for (const seconds of [2, 4, 8, 16]) {
      stream().send(failure('connection'));
      const before = streams.length;
      await settle(seconds * 1_000);
      triesWithin.push(streams.length - before);
    }
    expect(triesWithin).toEqual([1, 1, 1, 1]);
    stream().send(
      new RunsApiError({ code: 'rate_limited', status: 429, retryAfterMs: 90_000, message: '' }),
    );
    await settle(80_000);
    expect(streams).toHaveLength(5);
    await settle(11_000);
    expect(streams).toHaveLength(6);
    expect(sweeps()).toBe(0);
  });

  it('slows down for a service that ends every stream at once', async () => {
    const { settle, stream, streams } = start();
    for (let count = 0; count < 200; count += 1) {
      stream()?.send(open, 'end');
      await settle(1_000);
    }
    expect(streams.length).toBeLessThan(12);
  });

  it.each([
    ['not_found', 404],
    ['client_error', 405],
    ['server_error', 501],
    ['bad_request', 400],
    ['bad_response', 200],
  ] as const)(
    'leaves a service without events (%s, %d) alone for ten minutes',
    async (code, status) => {
      const { settle, stream, streams, sweeps, listener } = start();
      await settle();
      stream().send(failure(code, status));
      await settle(7 * 60_000);
      expect(streams).toHaveLength(1);
      expect([sweeps(), listener.isListening]).toEqual([0, false]);
      await settle(6 * 60_000);
      expect(streams).toHaveLength(2);
    },
  );

  it('has a sweep made later if the store does not answer', async () => {
    const { begin, stream, settle, sweeps, wake, parts } = start();
    await begin();
    wake.mockRejectedValueOnce(new Error('down'));
    stream().send(change('run-1'));
    await settle();
    expect(sweeps()).toBe(1);
    expect(parts.wakeFollower).toHaveBeenCalledOnce();
    await settle(2_000);
    expect(sweeps()).toBe(1);
    expect(parts.wakeFollower).toHaveBeenCalledTimes(2);
  });

  it('stops in the middle of a stream, and can start again', async () => {
    const { begin, listener, streams, settle } = start();
    await begin();
    await listener.stop();
    expect(listener.isListening).toBe(false);
    await settle(3_600_000);
    expect(streams).toHaveLength(1);
    listener.start();
    await begin();
  });
});
