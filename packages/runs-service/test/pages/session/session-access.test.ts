import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { KeyRole } from '../../../src/api/keys/keyring.ts';
import type { RunsServiceOptions } from '../../../src/service-options.ts';
import { createRuns } from '../../../src/store/runs.ts';
import { useDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService } from '../../support/runs-service.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';

const keyOf = (uid: string, role: KeyRole) => ({
  key: `key-of-${uid}`,
  role,
  creator: { type: 'user' as const, uid, display_name: uid },
});
const dayMs = 86_400_000;

describe('a session page', () => {
  const db = useDatabase();

  async function start(more: Partial<RunsServiceOptions> = {}) {
    const { service, request } = await startRunsService({
      db: db(),
      concurrency: 0,
      keys: [keyOf('ada', 'own'), keyOf('bob', 'own'), keyOf('eyes', 'read')],
      ...more,
      environments: [shellEnvironment('true')],
    });
    const signIn = async (uid: string, to?: string) => {
      const fields = { key: `key-of-${uid}`, ...(to && { to }) };
      const body = new URLSearchParams(fields);
      const options = { method: 'POST', body, redirect: 'manual' } as const;
      const { headers } = await fetch(`${service.url}/runs`, options);
      const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
      return { cookie, location: headers.get('location') };
    };
    const open = (token: string, cookie = '', rest = '') =>
      fetch(`${service.url}/session/${token}${rest}`, { headers: { cookie } });
    return { service, request, signIn, open };
  }

  async function endedRun(daysAgo: number) {
    const runs = createRuns(db());
    const run = await runs.create(aServiceRun({ title: 'Read me', session_token: randomUUID() }));
    const ended = { state: 'SUCCEEDED', started_at: 1, ended_at: Date.now() - daysAgo * dayMs };
    return (await runs.change(run.id, ['QUEUED'], ended)) ?? run;
  }

  it('opens for 30 days after the end of the run, then only for those who sign in', async () => {
    const { open, signIn } = await start();
    expect((await open((await endedRun(29)).session_token)).status).toBe(200);
    const { session_token: old } = await endedRun(31);
    const rejected = await open(old);
    expect(rejected.status).toBe(401);
    const page = await rejected.text();
    expect(page).toContain('This link has expired');
    expect(page).not.toContain('Read me');
    for (const file of ['/events', '/output.log', '/changes.patch', '/incomplete.patch'])
      expect((await open(old, '', file)).status).toBe(401);

    const { cookie, location } = await signIn('ada', `session/${old}`);
    expect(location).toBe(`session/${old}`);
    expect(await (await open(old, cookie)).text()).toContain('Read me');
    const other = await open(old, (await signIn('bob')).cookie);
    expect(other.status).toBe(403);
    expect(await other.text()).not.toContain('Read me');
    expect((await open(old, (await signIn('eyes')).cookie)).status).toBe(200);
  });

  it('has a link that lives as long as the operator says', async () => {
    const { open } = await start({ sessionLinkDays: 1 });
    expect((await open((await endedRun(2)).session_token)).status).toBe(401);
  });

  it('has files that lead to the same sign-in, however deep their address is', async () => {
    const { open, service } = await start({ sessionPageLogin: true });
    const { session_token: token } = await endedRun(1);
    for (const rest of ['', '/output.log', '/exact.patch', '/files/x', '/exact/x']) {
      const answer = await open(token, '', rest);
      expect(answer.status).toBe(401);
      const page = await answer.text();
      const address = (name: string) =>
        new URL(new RegExp(`${name}="([^"]*)"`).exec(page)?.[1] ?? 'none', answer.url).href;
      expect(address('action')).toBe(`${service.url}/runs`);
      expect(address('stylesheet" href')).toBe(`${service.url}/session-assets/session.css`);
    }
  });

  it('asks everyone to sign in if the operator says so', async () => {
    const { open, signIn } = await start({ sessionPageLogin: true });
    const { session_token: token } = await endedRun(0);
    const rejected = await open(token);
    expect(rejected.status).toBe(401);
    expect(await rejected.text()).not.toContain('Read me');
    expect((await open(token, '', '/output.log')).status).toBe(401);
    expect((await open(token, (await signIn('bob')).cookie)).status).toBe(403);
    expect((await open(token, (await signIn('ada')).cookie)).status).toBe(200);
  });

  it('returns people only to a session after they sign in', async () => {
    const { signIn } = await start();
    for (const to of ['https://evil.example', '//evil.example', 'session/../../x', 'session/'])
      expect((await signIn('ada', to)).location).toBe('runs');
  });

  it('gets a new link when the old one is revoked', async () => {
    const { request, open } = await start();
    const { id, session_token: old } = await endedRun(0);
    const as = (uid: string) => ({ authorization: `Bearer key-of-${uid}` });
    const revoke = (uid: string) =>
      request(`/agent/runs/${id}/session-link/revoke`, { method: 'POST', headers: as(uid) });
    expect((await revoke('bob')).status).toBe(404);
    expect((await revoke('eyes')).status).toBe(403);
    const answer = await revoke('ada');
    expect(answer.status).toBe(200);
    const { session_link: link } = (await answer.json()) as { session_link: string };
    expect(link).not.toContain(old);
    expect((await open(old)).status).toBe(404);
    expect((await fetch(link)).status).toBe(200);
  });

  it('rejects too many live readers of one link', async () => {
    const { service, open } = await start();
    const runs = createRuns(db());
    const run = await runs.create(aServiceRun({ session_token: randomUUID() }));
    for (let count = 0; count < 20; count += 1)
      await fetch(`${service.url}/session/${run.session_token}/events`, { method: 'HEAD' });
    const readers = await Promise.all(
      Array.from({ length: 20 }, () => open(run.session_token, '', '/events')),
    );
    expect(new Set(readers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await open(run.session_token, '', '/events')).status).toBe(429);
    await readers[0]?.body?.cancel();
    const again = async () => {
      const { status, body } = await open(run.session_token, '', '/events');
      if (status !== 200) return status;
      await body?.cancel();
      return status;
    };
    await expect.poll(again).toBe(200);
    await Promise.all(readers.slice(1).map(({ body }) => body?.cancel()));
  });
});
