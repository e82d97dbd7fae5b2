import { describe, expect, it } from 'vitest';
import { runKeysCommand } from '../../../src/api/keys/keys-command.ts';
import { createKeyStore } from '../../../src/store/key-store.ts';
import { createRuns } from '../../../src/store/runs.ts';
import { useDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService, testKey } from '../../support/runs-service.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;

describe('the page of runs', () => {
  const db = useDatabase();

  async function start(publicUrl?: string) {
    // No concurrency, so that runs stay queued.
    const options = { environments: [shellEnvironment('true')], db: db(), concurrency: 0 };
    const { service } = await startRunsService({ ...options, publicUrl });
    const page = `${service.url}/runs`;
    const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(page, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers,
        redirect: 'manual',
      });
    const signIn = async (key = testKey) =>
      (await post({ key })).headers.get('set-cookie')?.split(';')[0] ?? '';
    const show = async (query: string, cookie: string) =>
      (await fetch(`${page}?${query}`, { headers: { cookie } })).text();
    return { service, page, post, signIn, show };
  }

  const titles = (page: string) =>
    [...page.matchAll(/<p class="title">.*?<bdi>(.*?)<\/bdi>/g)].map(([, title]) => title);
  const linkToOlder = (page: string) =>
    /rel="next" href="runs\?([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&');

  it('asks for a key, and stores a pass instead of the key', async () => {
    const { page, post } = await start('https://agents.test/under');
    const first = await fetch(page);
    expect(first.status).toBe(401);
    expect(await first.text()).toContain('API key');
    const signedIn = await post({ key: ` ${testKey} ` });
    expect(signedIn.status).toBe(303);
    expect(signedIn.headers.get('location')).toBe('runs');
    const cookie = signedIn.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect(cookie).toMatch(/Secure/i);
    expect(cookie).toMatch(/Path=\/under;/i);
    expect(cookie).not.toContain(testKey);
    const pass = cookie.split(';')[0]?.split('=')[1] ?? '';
    const asKey = { authorization: `Bearer ${pass}` };
    const api = page.replace('/runs', '/api/v1/agent/runs');
    expect((await fetch(api, { headers: asKey })).status).toBe(401);
  });

  it('rejects unknown keys and forms from other sites', async () => {
    const { page, post } = await start();
    const rejected = await post({ key: 'nobody-knows-this' });
    expect(rejected.status).toBe(401);
    const text = await rejected.text();
    expect(text).toContain('unknown or revoked');
    expect(text).not.toContain('nobody-knows-this');
    expect((await post({ key: testKey }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ key: 'x'.repeat(10_000) })).status).toBe(413);
    for (const cookie of ['runs_pass=1.x', 'runs_pass=9999999999.AAAA', 'runs_pass=%', 'other=1'])
      expect((await fetch(page, { headers: { cookie } })).status).toBe(401);
  });

  it('closes when the key is revoked and when you sign out', async () => {
    const { page, post, signIn } = await start();
    const keys = createKeyStore(db());
    const said: string[] = [];
    await runKeysCommand(keys, ['add', 'grace'], (line) => said.push(line));
    const cookie = await signIn(said[0]);
    expect((await fetch(page, { headers: { cookie } })).status).toBe(200);
    await runKeysCommand(keys, ['revoke', said[0]?.slice(0, 12) ?? ''], () => undefined);
    expect((await fetch(page, { headers: { cookie } })).status).toBe(401);
    const [mine, other] = [await signIn(), await signIn()];
    const out = await post({ sign_out: 'yes' }, { cookie: mine });
    expect(out.headers.get('set-cookie')).toMatch(/runs_pass=;.*Max-Age=0/i);
    expect((await fetch(page, { headers: { cookie: mine } })).status).toBe(401);
    expect((await fetch(page, { headers: { cookie: other } })).status).toBe(200);
  });

  it('shows hostile titles, names, creators and searches as text', async () => {
    const { page, signIn } = await start();
    const runs = createRuns(db());
    const creator = JSON.stringify({ uid: 'x', display_name: hostile });
    const config = JSON.stringify({ name: hostile, environment_id: hostile });
    await runs.create(
      aServiceRun({ title: hostile, creator_json: creator, config_json: config, config_name: 'h' }),
    );
    const query = new URLSearchParams({ q: hostile, name: 'h', environment: hostile });
    for (const asked of ['name=h', String(query)]) {
      const answer = await fetch(`${page}?${asked}`, { headers: { cookie: await signIn() } });
      const text = await answer.text();
      expect(text.match(/<script/g)).toHaveLength(1);
      expect(text).not.toContain('<img');
      expect(text.replace(/"[^"]*"/g, '')).not.toMatch(/<[^>]* on\w+=/);
      const csp = answer.headers.get('content-security-policy') ?? '';
      expect(csp).toContain("default-src 'none'");
      expect(csp).not.toContain('unsafe');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('shows the filtered runs with links to their sessions', async () => {
    const { signIn, show } = await start();
    const today = () => new Date().toISOString().slice(0, 10);
    // Read the date first, because another day may begin meanwhile.
    const from = today();
    const runs = createRuns(db());
    const { id, session_token } = await runs.create(
      aServiceRun({
        title: 'Mend the login',
        creator_uid: 'zoe',
        config_name: 'fields',
        environment_id: 'docs',
      }),
    );
    await runs.create(aServiceRun({ title: 'Waits', config_name: 'fields' }));
    await runs.change(id, ['QUEUED'], { state: 'FAILED' });
    const cookie = await signIn();
    const fits = ['state=FAILED', 'creator=zoe', 'environment=docs', 'q=LOGIN'];
    for (const query of fits) {
      const page = await show(`name=fields&${query}`, cookie);
      expect([query, titles(page)]).toEqual([query, ['Mend the login']]);
      expect(page).toContain(`href="session/${session_token}"`);
    }
    expect(titles(await show(`name=fields&from=${from}&to=${today()}`, cookie))).toHaveLength(2);
    expect(titles(await show('name=fields&to=2020-01-01', cookie))).toEqual([]);
    const waiting = await show('name=fields&q=waits', cookie);
    expect(titles(waiting)).toEqual(['Waits']);
    expect(waiting).not.toContain('href="session/');
  });

  it('says which field is wrong', async () => {
    const { page, signIn } = await start();
    const headers = { cookie: await signIn() };
    for (const query of ['from=yesterday', 'older=rubbish']) {
      const answer = await fetch(`${page}?${query}`, { headers });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('role="alert"');
    }
  });

  it('pages to older runs, with the filters', async () => {
    const { signIn, show } = await start();
    const runs = createRuns(db());
    for (let number = 0; number < 120; number += 1)
      await runs.create(aServiceRun({ title: `Page run ${number}`, config_name: 'pages' }));
    const cookie = await signIn();
    const seen: string[][] = [];
    let query: string | undefined = 'name=pages';
    while (query !== undefined) {
      const page: string = await show(query, cookie);
      seen.push(titles(page) as string[]);
      query = linkToOlder(page);
    }
    expect(seen.map((each) => each.length)).toEqual([50, 50, 20]);
    expect(seen.flat()).toEqual(
      Array.from({ length: 120 }, (_, index) => `Page run ${119 - index}`),
    );
  });
});
