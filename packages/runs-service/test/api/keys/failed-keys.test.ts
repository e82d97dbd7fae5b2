import { describe, expect, it, onTestFinished } from 'vitest';
import { keyHash, keyPrefix } from '../../../src/api/keys/keyring.ts';
import { createKeyStore } from '../../../src/store/key-store.ts';
import { createSqliteDatabase, openTestDatabase } from '../../support/databases.ts';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../support/runs-service.ts';

async function start(publicUrl?: string) {
  const db = await openTestDatabase(await createSqliteDatabase(temporaryFolder()));
  onTestFinished(() => db.destroy());
  const { service, request } = await startRunsService({
    environments: [shellEnvironment('true')],
    publicUrl,
    db,
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
  return { keys: createKeyStore(db), request, call, signIn };
}

/** Returns 20 different keys that begin alike. */
const guesses = (beginning = 'sar_abcdefgh') =>
  Array.from({ length: 20 }, (_, number) => `${beginning}-${number}`);

describe('wrong API keys', () => {
  it('with one beginning are put off for a while, on pages too', async () => {
    const { request, call, signIn } = await start();
    // Without a TLS proxy, the header is ignored, so nobody can pretend to have another address.
    for (const [at, guess] of guesses().entries())
      expect(await call(guess, `10.0.0.${at}`)).toBe(401);
    const authorization = 'Bearer sar_abcdefgh-more';
    const rejected = await request('/agent/runs', { headers: { authorization } });
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    const page = await signIn('sar_abcdefgh-another');
    expect(page.status).toBe(429);
    expect(await page.text()).toContain('Try again in');
  });

  it('never keep a right key out, even one that begins like them', async () => {
    const { call, signIn } = await start();
    for (const guess of [...guesses(), ...guesses(testKey.slice(0, 12))]) await call(guess);
    expect(await call(`${testKey.slice(0, 12)}-more`)).toBe(429);
    expect(await call(testKey)).toBe(200);
    expect((await signIn(testKey)).status).toBe(303);
  });

  it('that are right later open the service at once', async () => {
    const { keys, call } = await start();
    const key = 'sar_'.padEnd(44, 'x');
    expect(await call(key)).toBe(401);
    await keys.add({
      key_hash: keyHash(key),
      prefix: keyPrefix(key),
      creator_type: 'user',
      creator_uid: 'ada',
      display_name: 'Ada',
      role: 'own',
    });
    expect(await call(key)).toBe(200);
  });

  it('count on the sign-in page like in the API', async () => {
    const { call, signIn } = await start();
    for (const guess of guesses()) expect((await signIn(guess)).status).toBe(401);
    expect(await call('sar_abcdefgh-more')).toBe(429);
  });

  it('count once each, by their beginnings, so a program with a revoked key gets 401', async () => {
    const { call } = await start();
    for (let count = 0; count < 50; count += 1) expect(await call('sar_revokedx-1')).toBe(401);
    for (const guess of guesses()) await call(guess);
    expect(await call('sar_revokedx-2')).toBe(401);
    expect(await call(guesses()[3] ?? '')).toBe(401);
  });

  it('count for the address that a proxy with TLS names, and only for the last one', async () => {
    const { call } = await start('https://agents.example');
    for (const [at, guess] of guesses().entries())
      expect(await call(guess, `10.0.0.${at}, 203.0.113.9`)).toBe(401);
    expect(await call('sar_abcdefgh-more', '203.0.113.9')).toBe(429);
    expect(await call('sar_abcdefgh-more', '203.0.113.9, 198.51.100.1')).toBe(401);
  });
});
