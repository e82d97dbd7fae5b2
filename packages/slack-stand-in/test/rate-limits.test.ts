import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Method } from '../src/web-api/method.ts';
import { createRateLimits } from '../src/web-api/rate-limits.ts';
import { callOk } from './support/call-api.ts';
import { useWorkspace } from './support/use-workspace.ts';

const method = (name: string, tier: Method['tier']) => ({ name, tier }) as Method;

describe('rate limits', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => vi.useRealTimers());

  it('count per method and team, and return how long to wait', () => {
    const limits = createRateLimits({ isEnforced: true });
    const list = method('users.list', 2);
    for (let call = 0; call < 20; call++) expect(limits.take(list, 'T1', undefined)).toBe(0);
    vi.advanceTimersByTime(20_000);
    expect(limits.take(list, 'T1', undefined)).toBe(40);
    expect(limits.take(list, 'T2', undefined)).toBe(0);
    expect(limits.take(method('usergroups.list', 2), 'T1', undefined)).toBe(0);
    vi.advanceTimersByTime(40_000);
    expect(limits.take(list, 'T1', undefined)).toBe(0);
  });

  it('allow about one message per second and channel', () => {
    const limits = createRateLimits({ isEnforced: true });
    const post = method('chat.postMessage', 'post');
    for (let call = 0; call < 3; call++) expect(limits.take(post, 'T1', 'C1')).toBe(0);
    expect(limits.take(post, 'T1', 'C1')).toBeGreaterThan(0);
    expect(limits.take(post, 'T1', 'C2')).toBe(0);
  });

  it('are off by default', () => {
    const limits = createRateLimits({ isEnforced: false });
    const post = method('chat.postMessage', 'post');
    for (let call = 0; call < 100; call++) expect(limits.take(post, 'T1', 'C1')).toBe(0);
  });
});

describe('a limited workspace', () => {
  const { startWorkspace } = useWorkspace();

  it('answers 429 with Retry-After', async () => {
    const workspace = await startWorkspace({ enforceRateLimits: true, retryDelaysMs: [] });
    const channel = 'C04ENGINEER';
    for (let call = 0; call < 3; call++) {
      await callOk(workspace, 'chat.postMessage', { channel, text: 'x' });
    }
    const response = await fetch(`${workspace.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.botToken}` },
      body: new URLSearchParams({ channel, text: 'x' }),
    });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toEqual({ ok: false, error: 'ratelimited' });
  });
});
