import { describe, expect, it } from 'vitest';
import { shellEnvironment, startRunsService, testKey } from '../../../support/runs-service.ts';

async function start(publicUrl?: string) {
  const { service, request } = await startRunsService({
    environments: [shellEnvironment('true')],
    publicUrl,
  });
  const call = async (key: string, from?: string) => {
    const headers = { authorization: `Bearer ${key}`, ...(from && { 'x-forwarded-for': from }) };
    return (await request('/agent/runs', { headers })).status;
  };
  const signIn = (key: string) =>
    fetch(`${service.url}/runs`, {
      method: 'POST',
      body: new URLSearchParams({ key }),
      redirect: 'manual',
    });
  return { request, call, signIn };
}

const guesses = Array.from({ length: 20 }, (_, number) => `guess-${number}`);

describe('wrong API keys', () => {
  it('close the service to their address for a while, pages too', async () => {
    const { request, call, signIn } = await start();
    // Without a proxy with TLS, nobody can name another address.
    for (const [at, guess] of guesses.entries())
      expect(await call(guess, `10.0.0.${at}`)).toBe(401);
    const refused = await request('/agent/runs', { headers: { authorization: 'Bearer one-more' } });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await call(testKey)).toBe(429);
    const page = await signIn(testKey);
    expect(page.status).toBe(429);
    expect(await page.text()).toContain('Try again in');
  });

  it('count on the sign-in page like in the API', async () => {
    const { call, signIn } = await start();
    for (const guess of guesses) expect((await signIn(guess)).status).toBe(401);
    expect(await call(testKey)).toBe(429);
  });

  it('count once each, so a program with a revoked key closes nothing', async () => {
    const { call } = await start();
    for (let count = 0; count < 50; count += 1) expect(await call('revoked')).toBe(401);
    expect(await call(testKey)).toBe(200);
  });

  it('count for the address that a proxy with TLS names, and only for the last one', async () => {
    const { call } = await start('https://agents.example');
    for (const [at, guess] of guesses.entries())
      expect(await call(guess, `10.0.0.${at}, 203.0.113.9`)).toBe(401);
    expect(await call(testKey, '203.0.113.9')).toBe(429);
    expect(await call(testKey, '203.0.113.9, 198.51.100.1')).toBe(200);
  });
});
